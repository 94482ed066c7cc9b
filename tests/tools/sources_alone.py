#!/usr/bin/env python3
"""sources_alone.py BUILD_FOLDER: compiles each source of the modules and of their tests alone, without generating code.
In a batch of the build, a source may use a name that only the source before it includes."""

import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

from compile_commands import commands_of
from repository import MODULES, ROOT


def problem_of(source, command, folder, compiled):
    """What the compiler says of a source that does not compile alone; empty when it does."""
    words = shlex.split(command)
    at = words.index("-o")
    words = [str(source) if word == str(compiled) else word for word in words[:at] + words[at + 2:]]
    done = subprocess.run([*words, "-fsyntax-only"], cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{source}:\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    folders = {*MODULES, "tests"}
    sources = {source: command for source, command in commands_of(options.build).items()
               if source.is_relative_to(options.root) and source.relative_to(options.root).parts[0] in folders}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(lambda item: problem_of(item[0], *item[1]), sources.items()) if problem]
    print("\n".join(problems) or f"{len(sources)} sources compile alone")
    sys.exit(1 if problems or not sources else 0)


if __name__ == "__main__":
    main()
