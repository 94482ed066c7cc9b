#!/usr/bin/env python3
"""Fails on an include against the arrows of docs/design.md, and on a third-party header where it does not belong."""

import re

from repository import MODULES, files, lines, run_check

MAY_INCLUDE = {
    "base": {"base"},
    "search": {"base", "search"},
    "kernel_templates": {"base", "search", "kernel_templates"},
    "db": {"base", "search", "db"},
    "profiling": {"base", "search", "kernel_templates", "profiling"},
    "tuner": set(MODULES),
}
# Headers that belong to these modules only, and never to a public header (one outside <module>/detail/).
PRIVATE_HEADERS = {
    r"(cuda|cuda_.*|nvrtc|cupti.*|nvperf.*|nvml)\.h": {"kernel_templates", "profiling", "tuner"},
    r"sqlite3\.h": {"db"},
    r"nlohmann/.*": {"db", "tuner"},
    r"toml\+\+/.*": {"kernel_templates"},
    r"boost/.*": {"tuner"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def module_of(path):
    return path.parts[0] if path.parts[0] in MODULES else None


def problems_of_include(root, path, bracket, included):
    module = module_of(path)
    first, *rest = included.split("/")
    if first in MODULES and bracket == '"':
        if module and first not in MAY_INCLUDE[module]:
            yield f"{module} may not include {first}: {included}"
        owner = path.parts[1] if path.parts[0] == "tests" else path.parts[0]
        if rest and rest[0] == "detail" and first != owner and owner != "bench":  # bench measures the inside
            yield f"{included} is private to {first}"
    elif module and bracket == '"' and (root / path.parent / included).is_file():
        yield f'includes start at the repository\'s root: "{included}"'
    for pattern, owners in PRIVATE_HEADERS.items():
        if module and re.fullmatch(pattern, included):
            if module not in owners:
                yield f"{module} may not include {included}"
            elif path.suffix == ".h" and "detail" not in path.parts:
                yield f"a public header may not include {included}"


def find_problems(root):
    for path in files(root, ".h", ".cpp"):
        for number, line in enumerate(lines(root, path), 1):
            match = INCLUDE.match(line)
            if match:
                for problem in problems_of_include(root, path, *match.groups()):
                    yield f"{path}:{number}: {problem}"


if __name__ == "__main__":
    run_check(find_problems)
