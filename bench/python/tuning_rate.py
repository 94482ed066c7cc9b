#!/usr/bin/env python3
"""Measures how many configurations a second tune evaluates from Python, compared with the command line.

    bench/python/tuning_rate.py PROGRAM [--evaluations 300] [--pairs 8] [--kernel sgemm]

Both evaluate the same number of random configurations with the same seed, each time with an empty database. Both read the same shipped
files: those of WARPTUNE_SHARE, else of the package warptune. The compile cache is shared. One run of each fills it and does not count.
The order alternates: command line, Python, Python, command line.

The rate is that of the rows' time stamps, so starting and the final rounds are left out. A second figure is that of the whole session.
Prints the median of the pairs' ratios with quartiles, and the same for pairs of two runs of the command line, which shows the noise.
Needs a GPU.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

SEED = "1"


def rates(kernel, data, document):
    """The configurations a second by the rows' time stamps, and those of the whole session."""
    import warptune
    stamps = sorted(warptune.Kernel(kernel).results(db=data).values("time_stamp_ms"))
    session = document["sessions"][0] if "sessions" in document else document  # A list for GPUs of different models.
    return 1e3 * (len(stamps) - 1) / (stamps[-1] - stamps[0]), session["evaluated"] / session["elapsed_s"]


def by_command(program, kernel, evaluations):
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/warptune.db"
        command = [program, "tune", kernel, "--budget", str(evaluations), "--strategy", "random", "--seed", SEED, "--format", "json",
                   "--measure", "--db", data]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return rates(kernel, data, json.loads(done.stdout))


def by_python(kernel, evaluations):
    import warptune
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/warptune.db"
        document = warptune.Kernel(kernel).tune(budget=evaluations, strategy="random", seed=int(SEED), replay=False, db=data).document
        return rates(kernel, data, document)


def shown(ratios):
    """The median, and the quartiles."""
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else 3 * ratios
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def share_shipped_files():
    """Both programs read the same shipped files by the same path, so that their compile keys are equal."""
    import warptune
    share = pathlib.Path(os.environ.get("WARPTUNE_SHARE") or pathlib.Path(warptune.__file__).parent / "share" / "warptune")
    if share.is_dir():
        os.environ["WARPTUNE_SHARE"] = str(share.resolve())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--kernel", default="sgemm")
    choice = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or tempfile.mkdtemp(prefix="warptune-bench-")
    share_shipped_files()
    commands, pythons = [], []
    turns = [lambda: commands.append(by_command(choice.program, choice.kernel, choice.evaluations)),
             lambda: pythons.append(by_python(choice.kernel, choice.evaluations))]
    for turn in turns:
        turn()
    commands.clear()
    pythons.clear()
    for pair in range(choice.pairs):
        for turn in turns if pair % 2 == 0 else turns[::-1]:
            turn()
    for title, which in (("rows", 0), ("whole session", 1)):
        print(f"{title}:")
        for name, found in (("command line", commands), ("Python", pythons)):
            print(f"  {name:14}", *(f"{one[which]:8.1f}" for one in found), "configurations a second")
        ratios = [python[which] / command[which] for python, command in zip(pythons, commands, strict=True)]
        null = [second[which] / first[which] for first, second in zip(commands[::2], commands[1::2], strict=False)]
        print(f"  Python / command line, median of {len(ratios)} pairs: {shown(ratios)}")
        if null:
            print(f"  command line / command line, median of {len(null)} pairs: {shown(null)}")
        if which == 0:
            print(f"median of the pairs' ratios: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
