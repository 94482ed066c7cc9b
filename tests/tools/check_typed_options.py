#!/usr/bin/env python3
"""Fails if code other than a command's parse function and the option groups uses the command line's `Options`.

A command's options become typed fields in one place: its `parse_...` function, with the `declare_...`, `read_...` and
`check_...` functions that it calls. The code that runs a command, and all code outside tuner/commands/, takes these fields."""

import re

from repository import MODULES, files, lines, run_check

CLI = "tuner/commands/"
PARSER = {CLI + "options.h", CLI + "options.cpp"}
# The only headers beside the parser's that may take `Options`: they declare options that several commands or actions have.
GROUPS = {CLI + "option_groups.h", CLI + "winner_options.h", CLI + "actions/action_group.h", CLI + "campaigns/campaign_options.h"}
MAY_SEE = re.compile(r"(parse|declare|read|check)_\w+")
INCLUDE = re.compile(r'\s*#\s*include\s*"tuner/commands/(options|option_groups|winner_options)\.h"')
OPTIONS = re.compile(r"(?<![\w:])Options\b(?!::)")
# The first line of a function or class, and the last, are not indented.
START = re.compile(r"(?:class|struct) (?P<type>\w+)|[A-Za-z_].*?\b(?P<function>\w+)\(")


def without_comment(line):
    return line.split("//")[0]


def problems_of_header(root, path):
    for number, line in enumerate(lines(root, path), 1):
        if INCLUDE.match(line) or OPTIONS.search(without_comment(line)):
            yield f"{path}:{number}: a header takes typed fields, not the command line's Options"


def problems_of_source(root, path):
    place = ""
    for number, line in enumerate(lines(root, path), 1):
        if started := START.match(line):
            place = started.group("type") or started.group("function")
        if OPTIONS.search(without_comment(line)) and not MAY_SEE.fullmatch(place):
            yield f"{path}:{number}: Options outside a parse_, declare_, read_ or check_ function: {place or line.strip()}"
        if line.startswith("}"):
            place = ""


def problems_of_file(root, path):
    if not path.as_posix().startswith(CLI):
        for number, line in enumerate(lines(root, path), 1):
            if INCLUDE.match(line):
                yield f"{path}:{number}: the command line stays in {CLI}"
    elif path.suffix == ".h" and path.as_posix() not in GROUPS:
        yield from problems_of_header(root, path)
    elif path.suffix == ".cpp":
        yield from problems_of_source(root, path)


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] in MODULES and path.as_posix() not in PARSER:
            yield from problems_of_file(root, path)


if __name__ == "__main__":
    run_check(find_problems)
