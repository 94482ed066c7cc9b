#!/usr/bin/env python3
"""Fails where code makes a NaN: an unknown number is a std::optional without a value.

`USES` lists the files that may make one, each with the reason. An entry that is no longer needed fails, too."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import files, lines, run_check  # noqa: E402

NAN = re.compile(r"\b(?:quiet_NaN|signaling_NaN|NAN|nanf?\(|nan\s*\(\")")
USES = {
    "bench/steering_figures.h": "entries of matrices, which have no optional numbers",
    "bench/steering_models.h": "entries of vectors of the statistical models",
    "db/recordings/values_json.cpp": "reads a value that a file calls nan",
    "kernel_templates/resolution/number_formats.cpp": "converts a NaN between formats of numbers",
    "model/fields.h": "converts unknown numbers for formats and interfaces in which NaN stands for them",
    "search/strategies/surrogate_model.cpp": "entries of a vector of the Gaussian process (gaussian_process.h)",
}


def find_problems(root):
    found = set()
    for path in files(root, ".h", ".cpp"):
        if path.parts[0] == "tests":
            continue
        for number, line in enumerate(lines(root, path), 1):
            if not NAN.search(line.split("//")[0]):
                continue
            found.add(str(path))
            if str(path) not in USES:
                yield f"{path}:{number}: makes a NaN: an unknown number is a std::optional, or add the file to USES with the reason"
    for path in sorted(set(USES) - found):
        if (root / path).is_file():
            yield f"{path}: makes no NaN: remove it from USES"


if __name__ == "__main__":
    run_check(find_problems)
