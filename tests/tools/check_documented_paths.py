#!/usr/bin/env python3
"""Fails when a page links to a missing file, names a missing file below a folder of the repository, or names something of the code
(`ThisForm`, `this_form`, `Class::member`) that no source mentions. NAME in a path stands for any name."""

import re

from repository import files, lines, run_check

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?)`")
CODE_SUFFIXES = {".h", ".cpp", ".cu", ".py", ".md", ".txt", ".cmake", ".json", ".toml", ""}
OF_CODE = re.compile(r"`((?:\w+::)+\w+|\w+_\w+|[A-Z][a-z]+[A-Z]\w*)(?:\(\))?`")
SOURCES = (".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".txt", ".json", ".toml", ".js", ".html")
# These pages describe the past: the names in them may no longer exist.
HISTORY = ("CHANGELOG.md", "docs/results", "docs/notes/")


def words_of_code(root):
    words = {f"bench_{path.stem}" for path in files(root, ".cpp") if path.parts[0] == "bench"}  # CMake makes these names.
    for path in files(root, *SOURCES):
        words.update(re.findall(r"\w+", "\n".join(lines(root, path))))
    return words


def find_problems(root):
    folders = {path.parts[0] for path in files(root) if len(path.parts) > 1}
    words = words_of_code(root)
    for page in files(root, ".md"):
        history = str(page).startswith(HISTORY)
        fenced = False
        for number, line in enumerate(lines(root, page), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            targets = [(page.parent / target, target) for target in LINK.findall(line) if "://" not in target]
            named = [root / name for name in NAMED.findall(line) if name.split("/")[0] in folders]
            named = [path.parent if "NAME" in path.name else path for path in named if path.suffix in CODE_SUFFIXES]
            targets += [(path, path.relative_to(root)) for path in named]
            for path, shown in targets:
                if not (root / path).exists():
                    yield f"{page}:{number}: there is no {shown}"
            for name in () if history else OF_CODE.findall(line):
                if "NAME" not in name and not words.issuperset(name.split("::")):
                    yield f"{page}:{number}: no source mentions {name}"


if __name__ == "__main__":
    run_check(find_problems)
