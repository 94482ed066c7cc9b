#!/usr/bin/env python3
"""Fails if a message writes a number and a plural itself: `base::counted` (base/text.h) has the noun that fits the number.

A number with a plural that does not depend on it says "1 configurations"."""

import re

from repository import MODULES, files, lines, run_check

OWN_PLURAL = re.compile(r'== 1(\.0|U)?\s*\?\s*"( is)?"\s*:\s*"e?s( are)?"')
# After "of" and "the" the number is one of several, and the plural is right for 1, too.
FIXED_PLURAL = re.compile(r'(?<!of )(?<!the )\{[^{}]*\} (further |other |more )?'
                          r'(configurations|evaluations|launches|measurements|passes|reasons|recordings|rows|runs|sessions|workloads)\b')


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] not in MODULES or path.as_posix() == "base/text.cpp":
            continue
        for number, line in enumerate(lines(root, path), 1):
            if found := OWN_PLURAL.search(line) or FIXED_PLURAL.search(line.split("//")[0]):
                yield f"{path}:{number}: {found.group().strip()}: base::counted (base/text.h) writes a number with its noun"


if __name__ == "__main__":
    run_check(find_problems)
