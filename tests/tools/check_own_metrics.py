#!/usr/bin/env python3
"""Fails on a string literal that is the name of a metric in model/own_metrics.h: the constant must be used. A literal
before a field of the same name is allowed."""

import re

from repository import MODULES, files, lines, run_check

OWNER = "model/own_metrics.h"
CONSTANT = re.compile(r'inline constexpr const char\* (k\w+) = "(\w+)";')
LITERAL = re.compile(r'"(\w+)"(?:, (?:\w+(?:\.|->))*(\w+)\b)?')


def find_problems(root):
    names = {name: constant for constant, name in CONSTANT.findall("\n".join(lines(root, OWNER)))}
    if not names:
        yield f"{OWNER}: has no names"
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] not in (*MODULES, "bench") or str(path) == OWNER:
            continue
        for number, line in enumerate(lines(root, path), 1):
            for name, field in LITERAL.findall(line):
                if name in names and field != name:
                    yield f'{path}:{number}: "{name}" is own_metric::{names[name]} of {OWNER}'


if __name__ == "__main__":
    run_check(find_problems)
