#!/usr/bin/env python3
"""Measures how many configurations a second tune evaluates from Python, beside the command line.

    bench/python/tuning_rate.py PROGRAM [--budget 15s] [--pairs 2] [--kernel sgemm]

Both tune the same kernel with the same seed, in turn, each with an empty database. The compile cache is shared, and is filled by a
run that does not count. Prints the configurations a second and their ratio. Needs a GPU.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile


def by_command(program, kernel, budget):
    with tempfile.TemporaryDirectory() as data:
        command = [program, "tune", kernel, "--budget", budget, "--format", "json", "--measure", "--db", f"{data}/warptune.db"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def by_python(kernel, budget):
    import warptune
    with tempfile.TemporaryDirectory() as data:
        return warptune.Kernel(kernel).tune(budget=budget, replay=False, db=f"{data}/warptune.db").document


def sessions_of(document):
    """The document of a session. The command line prints a list of them if several GPUs are of different models."""
    return document["sessions"][0] if "sessions" in document else document


def rate(document):
    session = sessions_of(document)
    return session["evaluated"] / session["elapsed_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--budget", default="15s")
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--kernel", default="sgemm")
    arguments = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or tempfile.mkdtemp(prefix="warptune-bench-")
    by_command(arguments.program, arguments.kernel, arguments.budget)
    commands, pythons = [], []
    for pair in range(arguments.pairs):
        turns = [lambda: commands.append(rate(by_command(arguments.program, arguments.kernel, arguments.budget))),
                 lambda: pythons.append(rate(by_python(arguments.kernel, arguments.budget)))]
        for turn in turns if pair % 2 == 0 else turns[::-1]:
            turn()
    print(f"{'command line':14}", *(f"{one:8.1f}" for one in commands), "configurations a second")
    print(f"{'Python':14}", *(f"{one:8.1f}" for one in pythons), "configurations a second")
    print(f"ratio of the means: {statistics.mean(pythons) / statistics.mean(commands):.3f}")


if __name__ == "__main__":
    main()
