#!/usr/bin/env python3
"""How few configurations cover many sizes of a kernel, what that costs, and what held-back sizes lose.

    bench/sizes/cover_sizes.py [--kernel NAME ...] [--cover-seconds S] [--checks N] [--check-seconds S] [--configurations N]
        [--keep FOLDER] [--log FILE] PROGRAM

For each kernel, `warptune cover` gets a file with 200 sizes and the held-back sizes. They are drawn log-uniformly. Half of them are
multiples of 64, a quarter are multiples of 8, and a quarter are any integers. Each held-back size is tuned on its own. FOLDER receives
the databases.

The table has a line for each kernel:

* conf, by, sizes: how many configurations answer, whether costs or the lines of a list choose among them (and how many lines there
  are), how many sizes were measured;
* evals, /alone: the evaluations of the cover, and their share of those of tuning 200 sizes alone (with as many at each as at a
  held-back size);
* mean loss, within, worst: what the held-back sizes lose against their own best: the geometric mean, how many lose at most 5 %, and
  the worst;
* best conf: how many lose at most 5 % if the best of the configurations answers, instead of the chosen one.

sgemm takes about 400 s with the defaults, softmax and transpose 50 s each. Needs a GPU.
"""

import argparse
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

RANGES = {
    "sgemm": {"M": (64, 8192), "N": (64, 8192), "K": (64, 8192)},
    "softmax": {"ROWS": (256, 65536), "COLUMNS": (64, 32768)},
    "transpose": {"M": (64, 16384), "N": (64, 16384)},
}
SIZES = 200
LIMIT = 0.05
SHORT = {"softmax": 0.2, "transpose": 0.2}  # Their share of sgemm's seconds and checks.


def drawn_sizes(kernel, count):
    chance = random.Random(7)
    sizes = []
    while len(sizes) < count:
        unit = chance.choice((64, 64, 8, 1))
        size = {}
        for name, (low, high) in RANGES[kernel].items():
            value = math.exp(chance.uniform(math.log(low), math.log(high)))
            size[name] = min(max(round(value / unit) * unit, low), high)
        if size not in sizes:
            sizes.append(size)
    return sizes


def cover(program, kernel, folder, seconds, checks, asked):
    sizes = folder / f"{kernel}.txt"
    sizes.write_text("".join(" ".join(f"{name}={value}" for name, value in size.items()) + "\n"
                             for size in drawn_sizes(kernel, SIZES + checks)))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    done = subprocess.run(
        [program, "cover", kernel, "--sizes", sizes, "--within", f"{100 * LIMIT:g}%", "--budget", f"{seconds}s", "--checks",
         str(checks), "--check-budget", f"{asked.check_seconds:g}s", "--db", folder / f"{kernel}.db", "--format", "json",
         *(["--configurations", str(asked.configurations)] if asked.configurations else [])],
        capture_output=True, text=True, env={**kept, "HOME": str(folder)})
    if asked.log:
        asked.log.write(done.stderr + done.stdout)
        asked.log.flush()
    if asked.keep:
        shutil.copytree(folder, asked.keep, dirs_exist_ok=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def row_of(kernel, report, checks, seconds):
    losses = [one["loss_share"] for one in report["held_back"]["sizes"]]
    known = [loss for loss in losses if loss is not None]
    alone = SIZES * report["check_evaluations"] / max(len(losses), 1)
    mean = math.exp(sum(math.log1p(loss) for loss in known) / max(len(known), 1)) - 1
    least = [one["least_loss_share"] for one in report["held_back"]["sizes"]]
    best = sum(loss is not None and loss <= LIMIT for loss in least)
    measured = report["sizes"]
    by = "costs" if report["answered_by"] == "costs" else f"{len(report['lines'])} lines"
    return (f"{kernel:10} {len(report['configurations']):4} {by:>8} {len(measured):6} {report['evaluations']:6}"
            f" {report['evaluations'] / max(alone, 1):7.3f} {100 * mean:7.1f} %"
            f" {sum(loss <= LIMIT for loss in known):4} of {len(losses):3} {100 * max(known, default=math.nan):8.1f} %"
            f" {best:9} {len(losses) - len(known):4} {report['settled']!s:6} {seconds:5.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kernel", action="append", choices=sorted(RANGES))
    parser.add_argument("--cover-seconds", type=float, default=110)
    parser.add_argument("--checks", type=int, default=50)
    parser.add_argument("--check-seconds", type=float, default=4)
    parser.add_argument("--configurations", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--log", type=argparse.FileType("w"))
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kernel in asked.kernel or RANGES:
            share = SHORT.get(kernel, 1.0) if asked.kernel is None else 1.0
            began = time.monotonic()
            checks = max(round(share * asked.checks), 1)
            report = cover(os.path.abspath(asked.program), kernel, pathlib.Path(folder), max(round(share * asked.cover_seconds), 10),
                           checks, asked)
            rows.append(row_of(kernel, report, checks, time.monotonic() - began))
    print("kernel     conf       by  sizes  evals   /alone  mean loss   within     worst best conf none settled   took")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
