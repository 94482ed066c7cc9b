#!/usr/bin/env python3
"""Fails when a page links to a missing file, or names a missing file below a folder of the repository."""

import re

from repository import files, lines, run_check

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?)`")
CODE_SUFFIXES = {".h", ".cpp", ".cu", ".py", ".md", ".txt", ".cmake", ".json", ".toml", ""}


def find_problems(root):
    folders = {path.parts[0] for path in files(root) if len(path.parts) > 1}
    for page in files(root, ".md"):
        fenced = False
        for number, line in enumerate(lines(root, page), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            targets = [(page.parent / target, target) for target in LINK.findall(line) if "://" not in target]
            named = [root / name for name in NAMED.findall(line) if name.split("/")[0] in folders]
            targets += [(path, path.relative_to(root)) for path in named if path.suffix in CODE_SUFFIXES]
            for path, shown in targets:
                if not (root / path).exists():
                    yield f"{page}:{number}: there is no {shown}"


if __name__ == "__main__":
    run_check(find_problems)
