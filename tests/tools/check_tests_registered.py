#!/usr/bin/env python3
"""Fails when a test file is named in no CMakeLists.txt of its own folder or one above."""

import re

from repository import files, lines, run_check


def find_problems(root):
    for path in files(root):
        if not re.search(r"_test\.(cpp|py|sh|cu)$", path.name):
            continue
        owners = [folder / "CMakeLists.txt" for folder in path.parents]
        text = "\n".join(line.split("#")[0] for owner in owners if (root / owner).is_file() for line in lines(root, owner))
        if not re.search(rf"(?<![\w.]){re.escape(path.name)}(?!\w)", text):
            yield f"{path}: in no CMakeLists.txt, so it never runs"


if __name__ == "__main__":
    run_check(find_problems)
