#!/usr/bin/env python3
"""Fails if a module writes text to the terminal without one of the two functions that escape it.

Names, values, compile logs and recordings come from others and may hold terminal escapes. tuner/text_output/terminal.h prints and
base/log.h logs; both pass their text through `base::printable`.
tuner/text_output/style.cpp has the escapes for colour, which `print_to` adds after that."""

import re

from repository import MODULES, files, lines, run_check

PLACES = {"tuner/text_output/terminal.h", "tuner/text_output/terminal.cpp", "tuner/text_output/style.cpp", "base/log.cpp"}
WRITES = re.compile(r"""std::(cout|cerr|clog)\b | <iostream> | fmt::v?print\b | spdlog:: | std::v?f?printf\b | (?<![\w:.>])v?f?printf\(
                        | \bf?put(s|c|char)\( | \bfwrite\( | \bperror\( | \bwrite\(STD(OUT|ERR)_FILENO | \\x1[bB] | \\033
                     """, re.VERBOSE)


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] not in MODULES or path.as_posix() in PLACES:
            continue
        for number, line in enumerate(lines(root, path), 1):
            if found := WRITES.search(line.split("//")[0]):
                yield (f"{path}:{number}: {found.group().strip()}: text leaves through print_out, print_error or print_to "
                       "(tuner/text_output/terminal.h) or the log (base/log.h), which escape it")


if __name__ == "__main__":
    run_check(find_problems)
