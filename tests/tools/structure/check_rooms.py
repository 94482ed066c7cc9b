#!/usr/bin/env python3
"""Compares the folders of the modules with the tables of docs/design.md that say what each of them holds.

Fails if a folder with sources is in neither table, and if a table names a missing folder. A cell names a folder by its path, or
by the last part of its path if the cell names another folder of the same parent before it. The text of a row may name the folders
within its folder."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import MODULES, files, lines, run_check  # noqa: E402

PAGE = "docs/design.md"
SOURCES = (".h", ".cpp", ".cuh", ".cu", ".py", ".js")
NAMED = re.compile(r"`([\w./-]+)/`")


def named_folders(root):
    """The folders that the two tables name, each with its line."""
    named = {}
    inside = False
    for number, line in enumerate(lines(root, PAGE), 1):
        if line.startswith("| module | holds |") or line.startswith("| folder | holds |"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            cells = line.split("|")
            places = [pathlib.PurePosixPath(name) for name in NAMED.findall(cells[1])]
            if not places:
                continue
            first = places[0]
            for place in places:
                full = place if place.parts[0] in (*MODULES, "tests", "docs", "bench") else first.parent / place
                named[full.as_posix()] = number
            for inner in NAMED.findall(cells[2]):
                if (root / first / inner).is_dir():
                    named[(first / inner).as_posix()] = number
    return named


def find_problems(root):
    named = named_folders(root)
    folders = {path.parent.as_posix(): path for path in files(root, *SOURCES) if path.parts[0] in MODULES}
    for folder, example in sorted(folders.items()):
        if folder not in named:
            yield f"{folder}: no row in the tables of {PAGE} says what this folder holds ({example.name})"
    for folder, number in named.items():
        if not (root / folder).is_dir():
            yield f"{PAGE}:{number}: there is no folder {folder}"


if __name__ == "__main__":
    run_check(find_problems)
