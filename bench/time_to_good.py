#!/usr/bin/env python3
"""Measures how many seconds a session takes to find a configuration that is nearly the best known.

    bench/time_to_good.py [--kernel 'NAME [SIZE=VALUE ...]' ...] [--seeds N] [--seconds S] [--long S] PROGRAM [OPTION ...]

Each session is `tune KERNEL --budget Ss --seed SEED` with the given options and an empty home, so no compiled code, no results and no
roofs are known. The best known time is the fastest of all sessions of this kernel. One of them is longer (--long). For each seed, it
prints the seconds from the start of the program until a configuration was stored that takes at most 2 % longer ("-" if none was). It
also prints the best of each session over the best known time, and how many configurations were evaluated. Needs a GPU.
"""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

KERNELS = ["sgemm M=2048 N=2048 K=2048", "gemm_tc M=4096 N=4096 K=4096", "softmax", "transpose", "reduction"]
NEARLY = 1.02  # A time is nearly the best known up to this ratio.


def run_session(program, kernel, seconds, seed, options):
    """The session's measured configurations: seconds after the start of the program, and median times in ns."""
    name, *sizes = kernel.split()
    command = [program, "tune", name, "--budget", f"{seconds:g}s", "--seed", str(seed), *options]
    for size in sizes:
        command += ["--size", size]
    with tempfile.TemporaryDirectory(prefix="warptune-good-") as home:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")} | {"HOME": home}
        start = time.time()
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        with sqlite3.connect(pathlib.Path(home) / ".local/share/warptune/warptune.db") as connection:
            rows = connection.execute("SELECT time_stamp_ms, median_ns FROM measurement "
                                      "WHERE status = 'measured' AND median_ns IS NOT NULL ORDER BY time_stamp_ms").fetchall()
    return [(stamp_ms / 1000 - start, median_ns) for stamp_ms, median_ns in rows]


def first_good(rows, best_ns):
    return min((seconds for seconds, median_ns in rows if median_ns <= NEARLY * best_ns), default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="options of `tune`, such as --no-transfer")
    parser.add_argument("--kernel", nargs="+", default=KERNELS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=7, help="budget of a session")
    parser.add_argument("--long", type=float, default=12, help="budget of the longer session, whose seed no other session has")
    given = parser.parse_args()
    for kernel in given.kernel:
        known = run_session(given.program, kernel, given.long, given.seeds + 1, given.options)
        sessions = [run_session(given.program, kernel, given.seconds, seed, given.options) for seed in range(1, given.seeds + 1)]
        best_ns = min(median_ns for rows in [known, *sessions] for _, median_ns in rows)
        good = [first_good(rows, best_ns) for rows in sessions]
        print(f"{kernel:<34} best known {best_ns / 1000:8.1f} us; within 2 % after",
              *("-" if seconds is None else f"{seconds:.1f}" for seconds in good), "s; best",
              *(f"{min(median_ns for _, median_ns in rows) / best_ns:.3f}" for rows in sessions), "; evaluated",
              *(str(len(rows)) for rows in sessions), flush=True)


if __name__ == "__main__":
    main()
