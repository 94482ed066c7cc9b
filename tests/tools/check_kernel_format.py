#!/usr/bin/env python3
"""Fails on CUDA sources that clang-format-14 would change, and on lines of CUDA sources and TOML past 120 columns.

scripts/wrap-definitions breaks such lines of descriptions and comments."""

import shutil
import subprocess
import sys

from repository import files, lines, run_check

COLUMNS = 120
PROGRAM = "clang-format-14"
CODE = (".cu", ".cuh")


def wide_lines(root):
    for path in files(root, *CODE, ".toml"):
        for number, line in enumerate(lines(root, path), 1):
            if len(line) > COLUMNS:
                yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS} are allowed"


def unformatted(root):
    if not shutil.which(PROGRAM):
        print(f"{PROGRAM} is missing: only the width of lines was checked", file=sys.stderr)
        return
    for path in files(root, *CODE):
        formatted = subprocess.run([PROGRAM, str(root / path)], capture_output=True, text=True)
        if formatted.returncode != 0:
            yield f"{path}: {formatted.stderr.strip()}"
        elif formatted.stdout != (root / path).read_text(encoding="utf-8"):
            yield f"{path}: is not formatted; {PROGRAM} -i {path}"


def find_problems(root):
    yield from wide_lines(root)
    yield from unformatted(root)


if __name__ == "__main__":
    run_check(find_problems)
