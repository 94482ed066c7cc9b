#!/usr/bin/env python3
"""Fails if a source's namespace is not that of its folder, and if a folder has too many sources for an overview.

A file in `profiling/timing` declares its names in `warptune::profiling::timing`, or in an inner namespace that does not belong to a
folder. A test has the namespace of the folder that it tests: `tests/profiling/timing` has that of `profiling/timing`. A block that
only declares classes of another folder (`class Store;`) may be in that folder's namespace."""

import collections
import re

from repository import MODULES, files, lines, run_check

MAX_FILES = 30
KERNELS = ("kernel_templates/lab", "kernel_templates/library")  # One file for each kernel, and their headers.
SOURCES = (".h", ".cpp", ".cuh", ".py", ".js")
BLOCK = re.compile(r"^namespace (warptune(?:::\w+)*) \{$")
END = re.compile(r"^\}  // namespace ")
FORWARD = re.compile(r"^(class|struct) \w+;$")
# Folders whose sources belong to no module: separate programs, kernels, and data of tests.
OTHER_FOLDERS = ("bench", "examples", "kernel_templates/lab", "kernel_templates/library", "tests/kernel_templates/emulation", "tests/tools")


def namespace_of(folder):
    parts = folder.parts[1:] if folder.parts[0] == "tests" else folder.parts
    return "::".join(("warptune", *parts))


def is_other(path):
    return "data" in path.parts or any(path.as_posix().startswith(f"{folder}/") for folder in OTHER_FOLDERS)


def blocks(text):
    """Name, first line and content of each namespace block that begins in the first column."""
    name = start = None
    content = []
    for number, line in enumerate(text, 1):
        match = BLOCK.match(line)
        if match:
            name, start, content = match[1], number, []
        elif name and (END.match(line) or line == "}"):
            yield name, start, content
            name = None
        elif name and line.strip():
            content.append(line)


def problems_of_namespaces(root, path):
    wanted = namespace_of(path.parent)
    for name, number, content in blocks(lines(root, path)):
        inner = name.removeprefix(wanted)
        folder = "/".join(name.split("::")[1:])
        within = not inner or inner.startswith("::") and not (folder != "tests" and (root / folder).is_dir())
        if not within and not all(FORWARD.match(line) for line in content):
            yield f"{path}:{number}: namespace {name}, but the folder's is {wanted}"


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] in (*MODULES, "tests") and len(path.parts) > 1 and not is_other(path):
            yield from problems_of_namespaces(root, path)
    counts = collections.Counter(path.parent for path in files(root, *SOURCES)
                                 if "data" not in path.parts and path.parent.as_posix() not in KERNELS)
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield f"{folder}: {count} sources in one folder, at most {MAX_FILES}"


if __name__ == "__main__":
    run_check(find_problems)
