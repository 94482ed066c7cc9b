#!/usr/bin/env python3
"""Fails on an include against the arrows of docs/design.md and on folders that include each other in a circle.

It also fails on an include of another module's private folder, and on a third-party header outside of its modules."""

import graphlib
import re

from repository import MODULES, files, lines, run_check

MAY_INCLUDE = {
    "base": {"base"},
    "model": {"base", "model"},
    "search": {"base", "model", "search"},
    "kernel_templates": {"base", "model", "kernel_templates"},
    "db": {"base", "model", "db"},
    "fleet": {"base", "model", "db", "fleet"},
    "profiling": {"base", "model", "search", "kernel_templates", "profiling"},
    "survey": {"base", "model", "profiling", "survey"},
    "tuner": set(MODULES) - {"library", "python"},
    "library": set(MODULES) - {"python"},
    "python": set(MODULES),
}
# The private folders of modules, with the headers in them that other modules may include.
INSIDE = {
    "model/expressions": {"expression_type.h"},
    "model/diagrams": set(),
    "kernel_templates/adapting": set(),
    "kernel_templates/definition": {"data_file.h", "toml_reader.h"},
    "kernel_templates/definition/merging": set(),
    "kernel_templates/compiling": {"inlined_source.h"},
    "kernel_templates/resolution": {"memory_resolution.h", "sized_arguments.h"},
    "profiling/captures": {"captured_launch.h", "launch_replay.h"},
    "profiling/counters": {"metrics.h", "planned_counting.h"},
    "profiling/driver": set(),
    "profiling/roofs": {"host_rates.h", "roofs.h"},
    "profiling/timing": {"clock_watch.h", "finalist_timing.h", "racing.h"},
    "profiling/tracing": {"program_timeline.h", "program_timeline_fields.h"},
    "profiling/verification": {"finalist_errors.h", "plausibility.h"},
    "db/formats": {"exported_winners.h"},
    "db/formats/cpp_header": set(),
    "db/recordings": set(),
    "db/storage": set(),
    "survey/records": {"run_ending.h", "survey.h", "survey_file.h", "trace_file.h", "tracks.h"},
    "python/native": set(),
    "python/native/calls": set(),
    "survey/collecting": {"counting_run.h", "started_program.h", "surveyed_run.h"},
    "survey/collecting/capturing": {"capture_run.h"},
    "survey/injected": set(),
    "survey/injected/capturing": set(),
    "survey/injected/counting": set(),
    "fleet/postgresql": set(),
    "fleet/spool": set(),
    "tuner/campaigns": {"campaign_file.h", "definition_bundle.h", "bundle_signature.h"},
    "tuner/html_report": {"report_csv.h", "report_data.h", "report_page.h", "report_plots.h", "report_workload.h", "report_workloads.h"},
    "tuner/json_output": set(),
    "tuner/json_output/campaigns": set(),
    "tuner/json_output/surveys": set(),
    "tuner/manual": set(),
    "tuner/survey_page": {"survey_page.h"},
    "tuner/protocol": {"codec.h", "compile_messages.h", "gpu_answers.h", "gpu_requests.h", "length.h", "message_channel.h", "messages.h", "warm_messages.h"},
}
# Folders of headers that are installed together. They include each other by their names alone.
INSTALLED = {"library/include"}
# Headers for .cpp files alone. They may include private headers, and are private themselves.
ONLY_IN_SOURCES = {"kernel_templates/definition/toml_reader.h", "model/encoding/json_fields.h"}
# Headers that belong to these modules only, and never to a header that other modules may include.
PRIVATE_HEADERS = {
    r"(cuda|cuda_.*|nvrtc|cupti.*|nvperf.*|nvml)\.h": {"kernel_templates", "profiling", "survey", "tuner"},
    r"sqlite3\.h": {"db"},
    r"nlohmann/.*|model/encoding/json_fields\.h": {"db", "fleet", "model", "survey", "tuner"},
    r"libpq-fe\.h": {"fleet"},
    r"toml\+\+/.*|kernel_templates/definition/toml_reader\.h": {"kernel_templates", "tuner"},
    r"boost/.*": {"tuner"},
    r"nanobind/.*|Python\.h": {"python"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def module_of(path):
    return path.parts[0] if path.parts[0] in MODULES else None


def is_inside(folder, name):
    """Whether a header belongs to its module alone."""
    return folder in INSIDE and name not in INSIDE[folder]


def problems_of_include(root, path, bracket, included):
    module = module_of(path)
    first = included.split("/")[0]
    if first in MODULES and bracket == '"':
        if module and first not in MAY_INCLUDE[module]:
            yield f"{module} may not include {first}: {included}"
        owner = path.parts[1] if path.parts[0] == "tests" else path.parts[0]
        folder, _, name = included.rpartition("/")
        if is_inside(folder, name) and first != owner and owner != "bench":  # bench measures the inside
            yield f"{included} is private to {first}"
    elif module and bracket == '"' and (root / path.parent / included).is_file() and path.parent.as_posix() not in INSTALLED:
        yield f'includes start at the repository\'s root: "{included}"'
    for pattern, owners in PRIVATE_HEADERS.items():
        if module and re.fullmatch(pattern, included):
            if module not in owners:
                yield f"{module} may not include {included}"
            elif path.suffix == ".h" and not is_inside(path.parent.as_posix(), path.name) and path.as_posix() not in ONLY_IN_SOURCES:
                yield f"a public header may not include {included}"


def folder_cycle(root):
    """A line for the first circle of folders that include each other. A folder and a folder within it may include each other."""
    needed = {}
    for path in files(root, ".h", ".cpp"):
        here = path.parent.as_posix()
        for line in lines(root, path) if module_of(path) else ():
            match = INCLUDE.match(line)
            there = match[2].rpartition("/")[0] if match and match[1] == '"' else ""
            if there.split("/")[0] in MODULES and not f"{here}/".startswith(f"{there}/") and not f"{there}/".startswith(f"{here}/"):
                needed.setdefault(here, set()).add(there)
    try:
        graphlib.TopologicalSorter(needed).prepare()
    except graphlib.CycleError as error:
        yield f"folders include each other in a circle: {' <- '.join(error.args[1])}"


def find_problems(root):
    yield from folder_cycle(root)
    for path in files(root, ".h", ".cpp"):
        for number, line in enumerate(lines(root, path), 1):
            match = INCLUDE.match(line)
            if match:
                for problem in problems_of_include(root, path, *match.groups()):
                    yield f"{path}:{number}: {problem}"


if __name__ == "__main__":
    run_check(find_problems)
