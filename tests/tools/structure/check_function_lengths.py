#!/usr/bin/env python3
"""Fails on functions of the modules with more than 60 lines.

clang-format fixes the form of the sources: a function ends at the first line that begins with a brace and is indented as its first line."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import MODULES, files, lines, run_check  # noqa: E402

ALLOWED = 60
NO_FUNCTION = re.compile(r"^(namespace|class|struct|union|enum|extern|typedef)\b")
RAW_TEXT = re.compile(r'R"(\w*)\(')


def without_raw_texts(text):
    """The same lines, without the content of raw strings of several lines."""
    end = None
    for line in text:
        if end is not None:
            yield line[line.index(end) + len(end):] if end in line else ""
            end = None if end in line else end
            continue
        found = RAW_TEXT.search(line)
        if found and f'){found[1]}"' not in line[found.end():]:
            end = f'){found[1]}"'
            line = line[:found.start()] + '""'
        yield line


def indent_of(line):
    return len(line) - len(line.lstrip())


def functions(text):
    """The first and the last line of each function, counted from 1. Functions within functions are not listed."""
    head = []  # The lines of the declaration that is being read.
    start = first = None
    for number, line in enumerate(without_raw_texts(text), 1):
        stripped = line.strip()
        if start is not None:
            if stripped.startswith("}") and indent_of(line) == first:
                yield start, number
                start = None
            continue
        if not stripped or stripped.startswith(("#", "//", "}")) or stripped.endswith((";", "}", ":", "\\")):
            head = []
            continue
        if not head:
            head_start = number
        head.append(line)
        if stripped.endswith("{"):
            declaration = " ".join(part.strip() for part in head)
            declaration = re.sub(r"^template <.*?> (?=\w)", "", declaration)
            if "(" in declaration and not declaration.endswith("= {") and not NO_FUNCTION.match(declaration):
                start, first = head_start, indent_of(head[0])
            head = []


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] not in MODULES:
            continue
        for start, end in functions(lines(root, path)):
            if end - start + 1 > ALLOWED:
                yield f"{path}:{start}: a function of {end - start + 1} lines; past {ALLOWED} it is divided by what it does"


if __name__ == "__main__":
    run_check(find_problems)
