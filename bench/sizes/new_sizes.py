#!/usr/bin/env python3
"""How many evaluations a size that was never measured needs, when the database knows other sizes of the kernel.

    bench/sizes/new_sizes.py [--seconds S] [--known N] [--trials N] [--evaluations N] [--kernel NAME ...] PROGRAM

First tunes each of the sizes below for S seconds from an empty database. The fastest configuration of all runs at a size counts as
its best. Each trial then takes one size, merges the databases of N others, and tunes the size with them and without
(--no-transfer). Prints for each kernel how far the best was off after some evaluations (geometric mean), the share of trials that
were within 5 %, and after how many evaluations they were. Needs a GPU.
"""

import argparse
import json
import math
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile

SIZES = {
    "sgemm": [{"M": n, "N": n, "K": n} for n in (256, 512, 768, 1000, 1024, 1536, 2048, 3000, 4096, 6000)] + [
        {"M": 4096, "N": 256, "K": 1024}, {"M": 512, "N": 4096, "K": 2048}, {"M": 1111, "N": 777, "K": 3000},
        {"M": 8192, "N": 512, "K": 512}, {"M": 128, "N": 128, "K": 8192}],
    "softmax": [{"ROWS": 16384, "COLUMNS": n} for n in (128, 500, 1024, 2000, 4096, 7001, 10000)] + [
        {"ROWS": 4096, "COLUMNS": 32768}, {"ROWS": 1000, "COLUMNS": 4096}, {"ROWS": 200, "COLUMNS": 20000},
        {"ROWS": 100000, "COLUMNS": 256}],
    "transpose": [{"M": n, "N": n} for n in (512, 1000, 2048, 3001, 5000, 8192, 16384)] + [
        {"M": 4096, "N": 1024}, {"M": 1024, "N": 16384}, {"M": 5000, "N": 3000}, {"M": 33, "N": 100000}, {"M": 100000, "N": 64}],
}
CLOSE = 1.05
POINTS = (2, 4, 8, 16)
NEVER = math.inf


class Tuner:
    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment = {**kept, "HOME": str(folder)}

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")

    def tune(self, kernel, size, database, budget, *options):
        sizes = [argument for name, value in size.items() for argument in ("--size", f"{name}={value}")]
        self.run("tune", kernel, "--db", database, "--budget", budget, "--metrics", "none", *sizes, *options)
        return times_of(database, size)


def times_of(database, size):
    """The median times of a size's evaluations in their order, in ns; infinite for those that failed or were dropped."""
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "SELECT workload.problem, measurement.status, measurement.median_ns FROM measurement"
        " JOIN configuration ON configuration.id = measurement.configuration_id"
        " JOIN workload ON workload.id = configuration.workload_id ORDER BY measurement.id").fetchall()
    connection.close()
    return [time if status == "measured" and time else NEVER for problem, status, time in rows
            if size.items() <= json.loads(problem).items()]


def best_so_far(times, best):
    curve, fastest = [], NEVER
    for time in times:
        fastest = min(fastest, time)
        curve.append(fastest / best)
    return curve


def trials_of(tuner, kernel, asked):
    """For `known sizes` and `empty`: the times of each trial's evaluations, with the index of its size. And the best of each size."""
    sizes = SIZES[kernel]
    databases = [tuner.folder / f"{kernel}-{index}.db" for index in range(len(sizes))]
    best = [min(tuner.tune(kernel, size, database, f"{asked.seconds}s", "--no-transfer"))
            for size, database in zip(sizes, databases)]
    chance = random.Random(1)
    found = {"known sizes": [], "empty": []}
    for trial in range(asked.trials):
        index = (7 * trial + 3) % len(sizes)
        known = chance.sample([other for other in range(len(sizes)) if other != index], asked.known)
        for name, options in (("known sizes", []), ("empty", ["--no-transfer"])):
            with tempfile.TemporaryDirectory(dir=tuner.folder) as scratch:
                database = pathlib.Path(scratch) / "trial.db"
                tuner.run("db", "merge", *(databases[other] for other in known), "--db", database)
                times = tuner.tune(kernel, sizes[index], database, asked.evaluations, "--seed", trial + 1, *options)
            best[index] = min(best[index], *times)
            found[name].append((index, times))
    return found, best


def print_trials(kernel, name, curves):
    def at(evaluations):
        return [curve[min(evaluations, len(curve)) - 1] for curve in curves]

    cells = []
    for point in POINTS:
        reached = [value for value in at(point) if value < NEVER]
        mean = math.exp(statistics.mean(map(math.log, reached))) if reached else NEVER
        cells.append(f"@{point} {mean:.3f}, {sum(value <= CLOSE for value in at(point))} of {len(curves)}")
    first = sorted(next((place for place, value in enumerate(curve, 1) if value <= CLOSE), NEVER) for curve in curves)
    print(f"{kernel:10} {name:12} {'; '.join(cells)}; within 5 % after {statistics.median(first)} evaluations (median)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--known", type=int, default=5)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--evaluations", type=int, default=24)
    parser.add_argument("--kernel", action="append", choices=sorted(SIZES))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tuner = Tuner(asked.program, pathlib.Path(folder))
        for kernel in asked.kernel or SIZES:
            found, best = trials_of(tuner, kernel, asked)
            for name, runs in found.items():
                print_trials(kernel, name, [best_so_far(times, best[index]) for index, times in runs])


if __name__ == "__main__":
    main()
