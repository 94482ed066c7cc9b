#!/usr/bin/env python3
"""Fails where code makes a NaN, or turns an unknown number into one: an unknown number is a std::optional without a value.

`USES` lists the files that may make one, each with the reason. An entry that is no longer needed fails, too."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import files, lines, run_check  # noqa: E402

TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
NAN = re.compile(r"\b(?:quiet_NaN|signaling_NaN|NAN|(?:__builtin_)?nan[fl]?\s*\(|or_nan\s*\(|0\.0?[fF]?\s*/\s*0\.0?[fF]?\b)")
USES = {
    "bench/steering_figures.h": "entries of matrices, which have no optional numbers",
    "bench/steering_models.h": "entries of vectors of the statistical models",
    "db/formats/imported_rows.cpp": "names the number in a message",
    "db/formats/t4_reader.cpp": "an interval without a time (model::TimeSummary)",
    "db/recordings/recording_rows.cpp": "an interval without a time; samples that a file does not know",
    "db/recordings/values_json.cpp": "reads a value that a file calls nan",
    "db/storage/merging/origins.cpp": "a text from which a digest is made",
    "db/storage/row_reader.cpp": "columns without a value, for members that are plain numbers",
    "db/store.cpp": "a column is NULL for a NaN",
    "db/store_objectives.cpp": "counters without a value",
    "kernel_templates/resolution/number_formats.cpp": "converts a NaN between formats of numbers",
    "library/c_interface.cpp": "the C interface has NaN for unknown numbers",
    "library/c_tuning.cpp": "the C interface has NaN for unknown numbers",
    "model/fields.h": "converts unknown numbers for formats and interfaces in which NaN stands for them",
    "profiling/timing/finalist_timing.h": "a member that is sent as a plain number",
    "search/strategies/surrogate_model.cpp": "entries of a vector of the Gaussian process (gaussian_process.h)",
    "tuner/session/measurement_recorder.cpp": "names the number in a message",
}


def find_problems(root):
    found = set()
    for path in files(root, ".h", ".hpp", ".cpp"):
        if path.parts[0] == "tests":
            continue
        for number, line in enumerate(lines(root, path), 1):
            if not NAN.search(TEXT.sub('""', line).split("//")[0]):
                continue
            found.add(str(path))
            if str(path) not in USES:
                yield f"{path}:{number}: makes a NaN: an unknown number is a std::optional, or add the file to USES with the reason"
    for path in sorted(set(USES) - found):
        if (root / path).is_file():
            yield f"{path}: makes no NaN: remove it from USES"


if __name__ == "__main__":
    run_check(find_problems)
