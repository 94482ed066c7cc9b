#!/usr/bin/env python3
"""How often `warptune recheck` reports a change although nothing has changed, and how long it takes.

    bench/sizes/recheck_flips.py [--tune S] [--repeats N] [--kernel NAME ...] PROGRAM

Tunes each kernel for S seconds at the size of its definition, in an empty database. Then measures all winners again N times on the
same GPU, which should be idle. Nothing changes meanwhile, so every verdict other than `holds` is false. Prints for each kernel how
often each verdict was given and how far the winner's time moved, and the time of a recheck of all of them. Needs a GPU.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KERNELS = ("sgemm", "softmax", "transpose", "reduction", "dot", "conv2d")


def run(program, environment, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", type=int, default=10, metavar="S")
    parser.add_argument("--repeats", type=int, default=20, metavar="N")
    parser.add_argument("--kernel", action="append", metavar="NAME")
    parser.add_argument("program")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    kernels = options.kernel or KERNELS
    with tempfile.TemporaryDirectory(prefix="warptune-recheck-") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment = {**kept, "HOME": folder}
        database = pathlib.Path(folder) / "winners.db"
        for kernel in kernels:
            run(program, environment, "tune", kernel, "--db", database, "--budget", f"{options.tune}s", "--metrics", "none")
        verdicts = collections.defaultdict(collections.Counter)
        changes = collections.defaultdict(list)
        seconds = []
        for _ in range(options.repeats):
            begin = time.monotonic()
            report = json.loads(run(program, environment, "recheck", *kernels, "--db", database, "--format", "json"))
            seconds.append(time.monotonic() - begin)
            for winner in report["winners"]:
                kernel = winner["workload"]["kernel"]
                verdicts[kernel][winner["verdict"]] += 1
                if winner["change_share"] is not None:
                    changes[kernel].append(abs(winner["change_share"]))
    print(f"{'kernel':14} {'rechecks':>8} {'holds':>6} {'other':>6}  median and largest change of the time, other verdicts")
    for kernel in kernels:
        counts = verdicts[kernel]
        others = {verdict: count for verdict, count in counts.items() if verdict != "holds"}
        moved = changes[kernel] or [float("nan")]
        print(f"{kernel:14} {sum(counts.values()):8} {counts['holds']:6} {sum(others.values()):6}  "
              f"{100 * statistics.median(moved):.2f} % {100 * max(moved):.2f} %  {others or ''}")
    print(f"a recheck of {len(kernels)} winners: median {statistics.median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), "
          f"{statistics.median(seconds) / len(kernels):.1f} s a winner")


if __name__ == "__main__":
    main()
