#!/usr/bin/env python3
"""Fails on C++ files of the modules with more than 300 lines and on other files with more than 500, unless long_files.txt lists them with
a reason. Reports other files with more than 300 lines."""

import sys

from repository import MODULES, files, lines, run_check

REPORTED, ALLOWED = 300, 500
LIST = "tests/tools/long_files.txt"


def allowed_lines(path):
    return REPORTED if path.parts[0] in MODULES and path.suffix in (".h", ".cpp") else ALLOWED


def reasons(root):
    if not (root / LIST).is_file():
        return {}
    entries = (line.partition(": ") for line in lines(root, LIST) if line.strip() and not line.startswith("#"))
    return {path: reason.strip() for path, _, reason in entries}


def find_problems(root):
    listed = reasons(root)
    for path in files(root, ".h", ".cpp", ".cu", ".py", ".cmake", ".txt", ".sh"):
        name, length, allowed = str(path), len(lines(root, path)), allowed_lines(path)
        if name in listed:
            reason = listed.pop(name)
            if not reason:
                yield f"{LIST}: {name} has no reason"
            if length <= allowed:
                yield f"{LIST}: {name} has only {length} lines and need not be listed"
        elif length > allowed:
            yield f"{name}: {length} lines; past {allowed} a file is split, or listed in {LIST} with a reason"
        elif length > REPORTED:
            print(f"{name}: {length} lines (reported from {REPORTED})", file=sys.stderr)
    for name in listed:
        yield f"{LIST}: there is no {name}"


if __name__ == "__main__":
    run_check(find_problems)
