#!/usr/bin/env python3
"""Runs every ```console and ```sh block of README.md and docs/*.md, as a reader on a machine with no GPU would.

The blocks of one page run in order, in one temporary folder that shows the repository's files, with a fresh HOME and
with `warptune` on PATH. In a console block the lines after `$ ` are the commands and the rest is their output, which is
not compared. A comment on the line before a block changes what is asked of it:
    <!-- needs a GPU -->     not run: the machine cannot
    <!-- needs-install -->   not run: it would install packages or build; .ci/run does it instead
    <!-- exit code N -->     the last command must end with N
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

FENCE = re.compile(r"^\s*```\s*([\w-]*)")
LANGUAGES = {"console", "sh", "bash", "shell"}


class Block:
    def __init__(self, page, line, language, marker):
        self.page, self.line, self.language, self.marker = page, line, language, marker
        self.text = []

    @property
    def skipped(self):
        return re.search(r"needs a GPU|needs-install", self.marker) is not None

    @property
    def exit_code(self):
        match = re.search(r"exit code (\d+)", self.marker)
        return int(match.group(1)) if match else 0

    def script(self):
        if self.language != "console":
            return "\n".join(self.text)
        commands, continued = [], False
        for line in self.text:
            if line.startswith("$ ") or continued:
                commands.append(line.removeprefix("$ ").removeprefix("> "))
                continued = line.endswith("\\")
        return "\n".join(commands)


def blocks_of(page):
    block, fenced, before = None, False, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if fence and not fenced:
            fenced = True
            marker = before if before.startswith("<!--") else ""
            block = Block(page, number, fence.group(1), marker) if fence.group(1) in LANGUAGES else None
        elif fence:
            fenced = False
            if block:
                yield block
            block = None
        elif block:
            block.text.append(line)
        if line.strip():
            before = line.strip()


def prepare(folder, root, program):
    """A folder that shows the repository's files and takes what the commands write."""
    for entry in root.iterdir():
        if entry.name not in {".git", "build"}:
            (folder / "tree" / entry.name).symlink_to(entry)
    (folder / "bin" / "warptune").symlink_to(program)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "WARPTUNE_"))}
    return environment | {"HOME": str(folder / "home"), "CUDA_VISIBLE_DEVICES": "-1", "LC_ALL": "C.UTF-8",
                          "PATH": f"{folder / 'bin'}:{environment['PATH']}"}


def run_page(page, root, program, limit_s):
    """Runs the blocks of a page; yields a line of text for each that failed."""
    with tempfile.TemporaryDirectory(prefix="warptune-docs-") as name:
        folder = pathlib.Path(name)
        for part in ("tree", "bin", "home"):
            (folder / part).mkdir()
        environment = prepare(folder, root, program)
        for block in blocks_of(page):
            where = f"{page.relative_to(root)}:{block.line}"
            if block.skipped:
                print(f"{where}: not run ({block.marker})")
                continue
            if not block.script().strip():
                yield f"{where}: holds no command (in a console block commands start with '$ ')"
                continue
            try:
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.script()], cwd=folder / "tree", text=True,
                                      env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=limit_s)
            except subprocess.TimeoutExpired:
                yield f"{where}: still running after {limit_s} s\n{block.script()}"
                continue
            print(f"{where}: exit code {done.returncode}")
            if done.returncode != block.exit_code:
                yield (f"{where}: exit code {done.returncode}, expected {block.exit_code}\n"
                       f"{block.script()}\n{done.stdout[-2000:]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the built warptune")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--limit-s", type=float, default=300, help="for one block")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="default: README.md and docs/*.md")
    options = parser.parse_args()
    root, program = options.root.resolve(), options.program.resolve()
    pages = options.pages or [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    problems = [problem for page in pages for problem in run_page(page.resolve(), root, program, options.limit_s)]
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
