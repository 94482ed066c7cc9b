#!/usr/bin/env python3
"""Fails on a constant that says Most, Least or Fewest where the field says maximum or minimum: kMaxRows, not kMostRows.

"kMostly...", "kMostOf..." and "kMostAre..." are a majority, not a maximum."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from repository import files, run_check  # noqa: E402

EXTREME = re.compile(r"\bk(?:Most(?!ly|Of|Are)|Least|Fewest)(?:[A-Z]\w*)?\b")


def find_problems(root):
    for path in files(root):
        if path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            for match in EXTREME.finditer(line):
                yield f"{path}:{number}: {match.group()}: say kMax... or kMin..."


if __name__ == "__main__":
    run_check(find_problems)
