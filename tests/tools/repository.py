"""What the structural checks share: the files of a source tree, and how a check reports."""

import argparse
import pathlib
import shutil
import subprocess
import sys

MODULES = ("base", "model", "search", "kernel_templates", "profiling", "survey", "db", "fleet", "tuner", "library", "python")
ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED_FOLDERS = {".git", ".cuda-wheels", "build", "__pycache__"}


def files(root, *suffixes):
    """The files that git would track (if git does not answer: all files except build output), sorted, by path from the root."""
    listed = None
    if (root / ".git").exists() and shutil.which("git"):
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True)
    if listed and listed.returncode == 0:
        paths = (pathlib.Path(name) for name in listed.stdout.split("\0") if name)
    else:
        paths = (path.relative_to(root) for path in root.rglob("*"))
        paths = (path for path in paths if not IGNORED_FOLDERS & set(path.parts))
    return sorted(path for path in paths
                  if (root / path).is_file() and (not suffixes or path.suffix in suffixes or path.name in suffixes))


def lines(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace").splitlines()


def run_check(find_problems):
    """`find_problems(root)` yields lines of text; any of them fails the check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the source tree to check")
    problems = list(find_problems(parser.parse_args().root.resolve()))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
