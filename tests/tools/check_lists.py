#!/usr/bin/env python3
"""Compares the list of strategies, export formats, diagnosis rules and findings of each folder with the functions in its sources.

Fails if a function NAME_strategy(), NAME_format(), NAME_rule() or NAME_finding() has no line in the list, or a line has no function. Fails, too, if a
reader of another tuner's files, make_NAME_reader(), is not in the table of recording_readers.cpp."""

import re

from repository import files, lines, run_check

# The list, the word that its lines and its functions' names have, and what those functions return.
LISTS = (("search/strategies/strategy_list.h", "strategy", "StrategyInfo"), ("db/formats/format_list.h", "format", "ExportFormat"),
         ("profiling/diagnosis/rules/rule_list.h", "rule", "Rule"), ("survey/analysis/findings/finding_list.h", "finding", "FindingRule"))

READERS = "db/formats/recording_readers.cpp"


def problems_of_readers(root):
    if not (root / READERS).is_file():
        yield f"{READERS}: is not there"
        return
    listed = {name for line in lines(root, READERS) for name in re.findall(r"RecordingFormat\{.*\b(make_\w+_reader)\}", line)}
    for source in files(root, ".cpp"):
        if str(source).startswith("db/formats/"):
            for number, line in enumerate(lines(root, source), 1):
                for name in re.findall(r"^std::unique_ptr<RowReader> (make_\w+_reader)\(", line):
                    if name not in listed:
                        yield f"{source}:{number}: {name} is not in the table of {READERS}"


def find_problems(root):
    yield from problems_of_readers(root)
    for path, word, type_name in LISTS:
        if not (root / path).is_file():
            yield f"{path}: is not there"
            continue
        line_of_list = re.compile(rf"^\s+{word.upper()}\((\w+)\)")
        function = re.compile(rf"^(?:\w+::)*{type_name} (\w+)_{word}\(\) {{")
        listed = [name for line in lines(root, path) for name in line_of_list.findall(line)]
        if not listed:
            yield f"{path}: has no lines {word.upper()}(NAME)"
        folder = path.rpartition("/")[0]
        defined = {}
        for source in files(root, ".cpp"):
            if str(source).startswith(folder + "/"):
                for number, line in enumerate(lines(root, source), 1):
                    for name in function.findall(line):
                        defined[name] = f"{source}:{number}"
        for name, place in defined.items():
            if name not in listed:
                yield f"{place}: {name}_{word} has no line {word.upper()}({name}) in {path}"
        for name in sorted(set(listed)):
            if name not in defined:
                yield f"{path}: {word.upper()}({name}) has no function {name}_{word}() in {folder}"
            if listed.count(name) > 1:
                yield f"{path}: {word.upper()}({name}) stands twice"


if __name__ == "__main__":
    run_check(find_problems)
