#!/usr/bin/env python3
"""How good the answer for a size is that was never measured, and how many evaluations it needs, when the database knows other sizes.

    bench/sizes/new_sizes.py [--held-back] [--seconds S] [--known N] [--trials N] [--evaluations N] [--kernel NAME ...] PROGRAM

First tunes each of the sizes below for S seconds from an empty database. The fastest configuration of all runs at a size counts as
its best. Each trial then takes one size, merges the databases of N others, and asks for the size (`query`). Then it tunes the size
with them and without (--no-transfer). Prints for each kernel how much slower the answer is than the best (geometric mean and worst
case). Prints the same for the nearest winner that can run, or the default if there is none. Also prints how far the best was off
after some evaluations (geometric mean), the share of trials that were within 5 %, and after how many evaluations they were.
Needs a GPU.

With --held-back, the sizes are those of bench/sizes/held_back. The recommended configurations of the shipped kernels were found at
other sizes, those of bench/sizes/lists and bench/sizes/random.
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
HELD_BACK = pathlib.Path(__file__).with_name("held_back")
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

        return done.stdout

    def tune(self, kernel, size, database, budget, *options):
        self.run("tune", kernel, "--db", database, "--budget", budget, "--metrics", "none", *arguments_of(size), *options)
        return rows_of(database, size)

    def answer(self, kernel, size, database):
        """The tier and the configuration that `query` answers with, and that of the nearest winner that can run, if there is one."""
        found = json.loads(self.run("query", kernel, "--db", database, "--explain", "--format", "json", *arguments_of(size)))
        nearest = next((one["configuration"] for one in found["weighing"]["winners"] if one["fault"] is None), None)
        return found["match"], found["configuration"], nearest


def held_back():
    """The held-back sizes of each kernel that has some."""
    def size_of(line):
        return {name: int(value) for name, value in (one.split("=") for one in line.split())}

    return {file.stem: list(map(size_of, file.read_text().splitlines())) for file in sorted(HELD_BACK.glob("*.txt"))}


def arguments_of(size):
    return [argument for name, value in size.items() for argument in ("--size", f"{name}={value}")]


def rows_of(database, size):
    """The configurations of a size's evaluations in their order, with their median times in ns; infinite for those that failed. Those
    that were dropped were too slow in their first launches, and have the median of these."""
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "SELECT workload.problem, configuration.body, measurement.status, measurement.median_ns FROM measurement"
        " JOIN configuration ON configuration.id = measurement.configuration_id"
        " JOIN workload ON workload.id = configuration.workload_id ORDER BY measurement.id").fetchall()
    connection.close()
    return [(json.loads(body), time if status in ("measured", "dropped") and time else NEVER) for problem, body, status, time in rows
            if size.items() <= json.loads(problem).items()]


def times_in(rows):
    return [time for _, time in rows]


def best_so_far(times, best):
    curve, fastest = [], NEVER
    for time in times:
        fastest = min(fastest, time)
        curve.append(fastest / best)
    return curve


def trials_of(tuner, kernel, sizes, asked):
    """For `known sizes` and `empty`: the times of each trial's evaluations, with the index of its size. The answers with the index of
    the size, the tier and the time. And the best of each size."""
    databases = [tuner.folder / f"{kernel}-{index}.db" for index in range(len(sizes))]
    best = [min(times_in(tuner.tune(kernel, size, database, f"{asked.seconds}s", "--no-transfer")))
            for size, database in zip(sizes, databases, strict=True)]
    chance = random.Random(1)
    found = {"known sizes": [], "empty": []}
    answers = []
    for trial in range(asked.trials or len(sizes)):
        index = trial % len(sizes)
        count = asked.known or chance.randint(1, min(5, len(sizes) - 1))
        known = chance.sample([other for other in range(len(sizes)) if other != index], count)
        for name, options in (("known sizes", []), ("empty", ["--no-transfer"])):
            with tempfile.TemporaryDirectory(dir=tuner.folder) as scratch:
                database = pathlib.Path(scratch) / "trial.db"
                tuner.run("db", "merge", *(databases[other] for other in known), "--db", database)
                answer = tuner.answer(kernel, sizes[index], database) if not options else None
                # Without dropping slow ones early, so that the time of the answer is known.
                rows = tuner.tune(kernel, sizes[index], database, asked.evaluations, "--seed", trial + 1, "--thorough", *options)
            times = times_in(rows)
            if answer is not None:
                tier, configuration, nearest = answer
                default = rows[0][0]  # A session begins with it.
                answers.append((index, known, tier, time_of(rows, configuration), time_of(rows, nearest or default)))
            best[index] = min(best[index], *times)
            found[name].append((index, times))
    return found, answers, best


def time_of(rows, configuration):
    """The time of a configuration, or None if it was not evaluated."""
    return next((time for evaluated, time in rows if evaluated == configuration), None)


def spread_of(ratios):
    return f"geometric mean {math.exp(statistics.mean(map(math.log, ratios))):.3f}, worst {max(ratios):.3f}"


def print_answers(kernel, sizes, answers, best):
    ratios = []
    of_nearest = []
    for index, known, tier, time, nearest in answers:
        text = " ".join(f"{name}={value}" for name, value in sizes[index].items())
        if time is None or nearest is None:
            print(f"{kernel:10} {text:28} the answer ({tier}) or the nearest winner was not evaluated", flush=True)
            continue
        ratios.append(time / best[index])
        of_nearest.append(nearest / best[index])
        print(f"{kernel:10} {text:28} {len(known)} known, {tier:13} {best[index] / 1e3:9.2f} us; times of it: answer {ratios[-1]:.3f}, "
              f"nearest winner {of_nearest[-1]:.3f}", flush=True)
    if ratios:
        print(f"{kernel:10} answers {spread_of(ratios)}; nearest winners {spread_of(of_nearest)}; "
              f"{len(ratios)} of {len(answers)} trials", flush=True)


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
    parser.add_argument("--held-back", action="store_true")
    parser.add_argument("--known", type=int, default=0, help="0: one to five, at random")
    parser.add_argument("--trials", type=int, default=0, help="0: one for each size")
    parser.add_argument("--evaluations", type=int, default=24)
    parser.add_argument("--kernel", action="append", choices=sorted({*SIZES, *held_back()}))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tuner = Tuner(asked.program, pathlib.Path(folder))
        chosen = held_back() if asked.held_back else SIZES
        for kernel in asked.kernel or chosen:
            if kernel not in chosen:
                sys.exit(f"there are no sizes of {kernel}: use --held-back")
            found, answers, best = trials_of(tuner, kernel, chosen[kernel], asked)
            print_answers(kernel, chosen[kernel], answers, best)
            for name, runs in found.items():
                print_trials(kernel, name, [best_so_far(times, best[index]) for index, times in runs])


if __name__ == "__main__":
    main()
