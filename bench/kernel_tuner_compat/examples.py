#!/usr/bin/env python3
"""Runs programs that were written for Kernel Tuner with warptune instead: only their imports change.

    bench/kernel_tuner_compat/examples.py [--timeout SECONDS] FOLDER

FOLDER holds the programs, for example `examples/cuda` of Kernel Tuner's repository. It is copied into a temporary folder, and the
copies are changed. Prints a row for each program: `ran`, `refused` with the sentence that says why, `needs` for a module that this
machine lacks, or `failed` with the last line. Needs a GPU, NumPy, and the package warptune.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

IMPORTS = (
    (r"^(\s*)import kernel_tuner as (\w+)", r"\1from warptune.compat import kernel_tuner as \2"),
    (r"^(\s*)import kernel_tuner\s*$", r"\1from warptune.compat import kernel_tuner"),
    (r"^(\s*)from kernel_tuner(\.[\w.]+)? import", r"\1from warptune.compat.kernel_tuner\2 import"))


def changed(text):
    """The program with its imports changed."""
    for before, after in IMPORTS:
        text = re.sub(before, after, text, flags=re.M)
    return text


def uses_kernel_tuner(text):
    return any(re.search(before, text, flags=re.M) for before, _ in IMPORTS)


def outcome(program, home, timeout_s):
    """What became of a program: one word, and the reason."""
    variables = {**os.environ, "XDG_DATA_HOME": str(home), "MPLBACKEND": "Agg"}
    try:
        done = subprocess.run([sys.executable, program.name], cwd=program.parent, env=variables, capture_output=True, text=True,
                              timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return "failed", f"it did not end within {timeout_s} s"
    if done.returncode == 0:
        return "ran", ""
    last = ([line for line in done.stderr.splitlines() if line.strip()] or ["no message"])[-1]
    if "No module named" in last:
        return ("refused" if "warptune" in last else "needs"), last.split(":", 1)[-1].strip()
    return ("refused" if "InputError" in last else "failed"), last.split("Error: ", 1)[-1].strip()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--timeout", type=float, default=120, help="seconds for each program")
    choice = options.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "programs"
        shutil.copytree(choice.folder, copy)
        for program in sorted(copy.rglob("*.py")):
            text = program.read_text(encoding="utf-8")
            if not uses_kernel_tuner(text):
                continue
            program.write_text(changed(text), encoding="utf-8")
            what, why = outcome(program, pathlib.Path(folder) / "home", choice.timeout)
            counts[what] = counts.get(what, 0) + 1
            print(f"{program.relative_to(copy)!s:40} {what:8} {why}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "no program imports kernel_tuner")


if __name__ == "__main__":
    main()
