#!/usr/bin/env python3
"""Measures how long a session takes from the start of the program to its first stored measurement, and to its end.

    bench/start_times.py [--kernel NAME ...] [--rounds N] PROGRAM [PROGRAM ...]

For each kernel and program, it runs `tune KERNEL --budget 1` with an empty home: no compiled code and no roofs are known. Then
it runs the same with `--fresh` in the home that the first run left: the GPU and the compiled code are known. Prints the medians
with the lowest and the highest value of the rounds, and the ratio of each program to the first. Needs a GPU.
"""

import argparse
import os
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile
import time


def run_once(program, kernel, home, fresh):
    """Seconds to the first stored measurement, and to the program's end."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")} | {"HOME": str(home)}
    command = [program, "tune", kernel, "--budget", "1", "--no-transfer"] + (["--fresh"] if fresh else [])
    start = time.time()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    end = time.time()
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    database = pathlib.Path(home) / ".local/share/warptune/warptune.db"
    with sqlite3.connect(database) as connection:
        first_ms, = connection.execute("SELECT min(time_stamp_ms) FROM measurement WHERE time_stamp_ms >= ?",
                                       (int(start * 1000),)).fetchone()
    return first_ms / 1000 - start, end - start


def spread(values):
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--kernel", nargs="+", default=["transpose", "sgemm"])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"seconds, median of {options.rounds} (lowest to highest); ratio of medians to {options.programs[0]}")
    for kernel in options.kernel:
        times = {program: [[], [], [], []] for program in options.programs}
        for _ in range(options.rounds):
            for program in options.programs:
                with tempfile.TemporaryDirectory(prefix="warptune-start-") as home:
                    rows = [*run_once(program, kernel, home, False), *run_once(program, kernel, home, True)]
                for column, value in zip(times[program], rows):
                    column.append(value)
        names = ("first measurement, empty home", "whole session, empty home",
                 "first measurement, GPU known", "whole session, GPU known")
        for i, name in enumerate(names):
            base = statistics.median(times[options.programs[0]][i])
            for program in options.programs:
                values = times[program][i]
                print(f"  {kernel:<14} {name:<30} {spread(values):<26} {statistics.median(values) / base:5.2f}  {program}")


if __name__ == "__main__":
    main()
