#!/usr/bin/env python3
"""clang_tidy.py BUILD_FOLDER: runs clang-tidy on every source of the modules, with the compiler flags of BUILD_FOLDER.

Most of clang-tidy's time goes into the headers that a source includes, so sources are checked in batches. One generated file
includes several sources. If two of them define the same name in one namespace, the build compiles these together, too. A batch that fails is checked again in halves, down to
single sources. Only the result of a single source counts as a failure."""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys

from compile_commands import commands_of
from repository import MODULES, ROOT, files

SMALL_BATCH = 48  # Sources. Larger batches take less time together and more memory. Each core gets two of the largest.
# The beginning or the end of a named namespace, or an anonymous one as a whole.
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{\n|^\}  // namespace ([\w:]+)\n|^namespace \{\n(.*?)^\}  // namespace\n",
                       re.MULTILINE | re.DOTALL)
# Text in the first column is a declaration, because of clang-format.
NAME = re.compile(r"^(?!}|//|#|template|R\"|\))(?:(?:class|struct|enum|enum class) (\w+)\b|using (?:[\w:]+;|(\w+) =)|[^\s(=][^(=;\n]*?(\w+)(?:\[\w*\])*(?:\(|\{| =|;))",
                  re.MULTILINE)
DROPPED = re.compile(r"-fsanitize=.*|-fno-sanitize.*|-Winvalid-pch|-fpch-.*|-fno-pch-.*|-g.*|-O.")


def names_of(path):
    """The names that a source defines for itself alone, each with the namespaces around it."""
    names, around = set(), []
    for begin, end, block in NAMESPACE.findall((ROOT / path).read_text(encoding="utf-8")):
        if begin:
            around.append(begin)
        elif around and end:
            around.pop()
        names.update("::".join((*around, name)) for found in NAME.findall(block) for name in found if name)
    return names


def flags_of(command):
    """The part of a compile command that clang-tidy needs: without output and precompiled headers."""
    words, flags = iter(shlex.split(command)), []
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word == "-Xclang":
            following = next(words)
            if following == "-include-pch" or following == "-include":
                next(words), next(words)
        elif word.startswith("-") and not DROPPED.fullmatch(word):
            flags.append(word)
            if word in ("-isystem", "-I", "-D"):
                flags.append(next(words))
    return flags


def without_exceptions(flags):
    return "-fno-exceptions" in flags


def batches_of(paths, size, flags=None, units=None):
    """Lists of at most SIZE sources. Two sources of a list may define the same name if the build compiles both in one unit, because
    this has shown that they do not clash. UNITS: the unit of each source. Sources without exceptions have lists of their own."""
    batches = []
    for path in paths:
        names = names_of(path)
        language = without_exceptions(flags[path]) if flags else False
        unit = {units[path] if units else path}
        for batch, taken, spoken in batches:
            if len(batch) < size and spoken == language and all(taken.get(name, unit) == unit for name in names):
                break
        else:
            batch, taken = [], {}
            batches.append((batch, taken, language))
        batch.append(path)
        taken.update(dict.fromkeys(names, unit))
    return [batch for batch, _, _ in batches]


def tidy(source, flags, folder):
    command = ["clang-tidy-14", "--quiet", f"--header-filter=^{re.escape(str(ROOT))}/({'|'.join(MODULES)})/.*", str(source),
               "--", *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def check(name, paths, flags, folder):
    """What clang-tidy reports about these sources. A batch that fails is halved until each failure belongs to a single source."""
    if len(paths) == 1:
        good, text = tidy(ROOT / paths[0], flags[paths[0]], folder)
        return [] if good else [text]
    union = list(dict.fromkeys(pair for path in paths for pair in in_pairs(flags[path])))
    source = folder / f"{name}.cpp"
    source.write_text("".join(f'#include "{path}"  // NOLINT(bugprone-suspicious-include)\n' for path in paths))
    good, text = tidy(source, [word for pair in union for word in pair], folder)
    if good:
        return []
    first = next((line for line in text.splitlines() if "error:" in line), "")
    print(f"note: {name} is checked in halves: {first}", flush=True)
    middle = len(paths) // 2
    return check(f"{name}_a", paths[:middle], flags, folder) + check(f"{name}_b", paths[middle:], flags, folder)


def in_pairs(flags):
    """The flags as tuples: a flag with its argument, or a flag alone."""
    words = iter(flags)
    for word in words:
        yield (word, next(words)) if word in ("-isystem", "-I", "-D") else (word,)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="sources, from the root; default: all of the modules")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    known = commands_of(options.build)
    paths = options.paths or [path for path in files(ROOT, ".cpp") if path.parts[0] in MODULES]
    flags = {path: flags_of(known[ROOT / path][0]) for path in paths}
    units = {path: known[ROOT / path][2] for path in paths}
    folder = options.build.resolve() / "tidy"
    folder.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        batches = enumerate(batches_of(paths, max(SMALL_BATCH, math.ceil(len(paths) / (2 * options.jobs))), flags, units))
        found = pool.map(lambda item: check(f"batch_{item[0]}", item[1], flags, folder), batches)
        problems = [problem for problems_of_batch in found for problem in problems_of_batch]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
