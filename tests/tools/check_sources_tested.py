#!/usr/bin/env python3
"""Fails if a source of a module has no test.

A source has a test of its own name, or a line in wider_tests.txt names the wider test that covers it. The check also fails if a line of
wider_tests.txt or gpu_files.txt names a missing file."""

from repository import MODULES, files, lines, run_check

WIDER = "tests/tools/wider_tests.txt"  # "path of a source, or of a folder with a / at its end: the tests that cover it".
GPU_FILES = "tests/tools/gpu_files.txt"  # "path of a source: why nothing of it runs without a GPU".


def entries(root, name):
    """The text before and after the first ": " of each line."""
    if not (root / name).is_file():
        return {}
    parts = (line.partition(": ") for line in lines(root, name) if line.strip() and not line.startswith("#"))
    return {path: rest.strip() for path, _, rest in parts}


def sources(root):
    """The sources of a module, and its headers without a source."""
    known = {path for path in files(root, ".cpp", ".h", ".py") if path.parts[0] in MODULES}
    return [path for path in sorted(known) if path.suffix != ".h" or path.with_suffix(".cpp") not in known]


def test_name(source):
    """The name of the test that belongs to this source alone. The tests of the Python package are Python, those of its C++ sources too."""
    # A package with the interface of another one may have files of the same names as warptune.
    prefix = f"{source.parent.name}_" if "compat" in source.parts else ""
    return f"{prefix}{source.stem}_test{'.py' if source.parts[0] == 'python' else '.cpp'}"


def find_problems(root):
    tests = {(path.parts[1], path.name) for path in files(root, ".cpp", ".py") if path.parts[0] == "tests" and len(path.parts) > 2}
    wider = entries(root, WIDER)
    needed = set()
    for source in sources(root):
        if (source.parts[0], test_name(source)) in tests:
            continue
        places = [str(source), *(f"{folder}/" for folder in source.parents)]
        place = next((place for place in places if place in wider), None)
        needed.add(place)
        if place is None:
            yield f"{source}: no tests/{source.parts[0]}/{test_name(source)}, and no line in {WIDER}"
    for place, covering in wider.items():
        if place not in needed:
            yield f"{WIDER}: {place} needs no line: it is not there, or has a test of its name"
        for name in covering.split(", "):
            if not (root / name).is_file() or not name.endswith(("_test.cpp", "_test.py")):
                yield f"{WIDER}: {place} names {name or 'no test'}, which is no test"
    for place, reason in entries(root, GPU_FILES).items():
        if not (root / place).is_file() or not reason:
            yield f"{GPU_FILES}: {place} is not there, or has no reason"


if __name__ == "__main__":
    run_check(find_problems)
