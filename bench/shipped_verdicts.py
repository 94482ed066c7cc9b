#!/usr/bin/env python3
"""Checks that the evaluator accepts the shipped kernels at sizes of all kinds.

    bench/shipped_verdicts.py [--seconds S] [--brief] [--kernel NAME ...] PROGRAM

Tunes each kernel at random for S seconds at several problems: its default problem, the problems that the tests run on a GPU
(tests/kernel_templates/library_cases), and a large one. --brief leaves out the problems of the tests. Prints for each kernel
the number of configurations with each verdict. Below it lists each configuration that was wrong, implausible or ended badly,
with its reason. Exits with 1 if there is one. Each session begins with an empty database. Needs a GPU.
"""

import argparse
import collections
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/kernel_templates/library_cases"
# Larger problems than those of the tests: gigabytes of memory, and sums of hundreds of millions of elements.
ELEMENTS = {"N": 201326611}
LARGE = {
    "batched_gemm": {"M": 32, "N": 32, "K": 32, "BATCH": 200003},
    "conv2d": {"HEIGHT": 8219, "WIDTH": 8209, "FILTER_HEIGHT": 11, "FILTER_WIDTH": 11},
    "coulomb": {"GRID_X": 257, "GRID_Y": 255, "GRID_Z": 129, "ATOMS": 2003},
    "gemm_tc": {"M": 8200, "N": 4104, "K": 8200},
    "layernorm": {"ROWS": 16385, "COLUMNS": 16384},
    "nbody": {"N": 150001},
    "rmsnorm": {"ROWS": 16385, "COLUMNS": 16384},
    "sgemm": {"M": 4099, "N": 4097, "K": 4101},
    "softmax": {"ROWS": 16384, "COLUMNS": 16384},
    "spmv": {"ROWS": 1000003, "COLUMNS": 1000003, "NNZ": 30000001},
    "stencil2d": {"ROWS": 16411, "COLUMNS": 16381},
    "transpose": {"M": 20011, "N": 16411},
    "window_sum": {"N": 50000017, "WIDTH": 5000},
}
SHOWN = 12
HARMLESS = {"measured", "dropped", "launch_invalid"}


def problems_of(kernel, brief):
    if brief:
        return [{}, LARGE.get(kernel, ELEMENTS)]
    cases = tomllib.loads((CASES / f"{kernel}.toml").read_text())
    types = [{name: value for name, value in entry.items() if name != "from_capability"} for entry in cases["types"]]
    sizes = cases.get("gpu_sizes", []) or cases["sizes"]
    turns = range(max(len(sizes), min(len(types), 4)))
    return [{}, *(types[turn % len(types)] | sizes[turn % len(sizes)] for turn in turns), LARGE.get(kernel, ELEMENTS)]


def judge(program, kernel, problem, seconds):
    """The rows of one session: status, reason, configuration; and the session's own end, where it was not 0."""
    with tempfile.TemporaryDirectory(prefix="warptune-verdicts-") as folder:
        database = pathlib.Path(folder) / "rows.db"
        command = [program, "tune", kernel, "--strategy", "random", "--budget", f"{seconds}s", "--no-transfer", "--db", str(database)]
        for name, value in problem.items():
            command += ["--size", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        rows = []
        if database.exists():
            with sqlite3.connect(database) as connection:
                rows = connection.execute("SELECT status, reason, body FROM measurement JOIN configuration "
                                          "ON configuration.id = configuration_id").fetchall()
        return rows, None if done.returncode == 0 else f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--kernel", nargs="+", default=sorted(path.stem for path in CASES.glob("*.toml")))
    options = parser.parse_args()
    total, bad = collections.Counter(), 0
    for kernel in options.kernel:
        counts, findings = collections.Counter(), []
        for problem in problems_of(kernel, options.brief):
            text = " ".join(f"{name}={value}" for name, value in problem.items()) or "default"
            rows, end = judge(options.program, kernel, problem, options.seconds)
            if end:
                findings.append(f"{text}: {end}")
            for status, reason, configuration in rows:
                counts[status] += 1
                if status not in HARMLESS:
                    values = " ".join(f"{name}={value}" for name, value in json.loads(configuration).items())
                    findings.append(f"{text}: {values}: {status}: {reason}")
        print(f"{kernel:14}", ", ".join(f"{count} {status}" for status, count in counts.most_common()), flush=True)
        for finding in findings[:SHOWN]:
            print("   ", finding)
        if len(findings) > SHOWN:
            print(f"    and {len(findings) - SHOWN} more")
        total += counts
        bad += len(findings)
    print(f"{sum(total.values())} configurations of {len(options.kernel)} kernels, {bad} findings:",
          ", ".join(f"{count} {status}" for status, count in total.most_common()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
