#!/usr/bin/env python3
"""Fails when a file names this machine: the checkout's path, a person's home folder, the host or the user."""

import getpass
import os
import re
import shutil
import socket
import subprocess

from repository import ROOT, files, run_check

# Folders and names that every machine may have.
COMMON_FOLDERS = {"bin", "build", "builds", "ci", "data", "etc", "github", "home", "lib", "media", "mnt", "opt", "proc",
                  "project", "repo", "root", "run", "src", "srv", "sys", "tmp", "usr", "var", "workspace"}
COMMON_NAMES = {"root", "user", "users", "runner", "ubuntu", "debian", "localhost", "build", "builder", "node", "warptune"}


def private_patterns():
    """Regular expressions of what names this machine; built at run time, so that this file names none."""
    yield r"/(?:home|Users)/(?!user\b|you\b|me\b|some(?:body|one)\b)[a-z][\w.-]*/"
    yield re.escape(str(ROOT)) + r"\b"
    top = ROOT.parts[1] if len(ROOT.parts) > 2 else ""
    if top and top.lower() not in COMMON_FOLDERS:
        yield rf"(?<![\w.$}}~/*>-])/{re.escape(top)}/"
    names = [socket.gethostname(), os.environ.get("USER", "")]
    try:
        names.append(getpass.getuser())
    except (KeyError, OSError):
        pass
    for name in names:
        if len(name) > 4 and name.lower() not in COMMON_NAMES:
            yield rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def text_of(path):
    data = path.read_bytes()
    if path.suffix == ".zst" and shutil.which("zstd"):
        data = subprocess.run(["zstd", "-dcq", str(path)], capture_output=True).stdout
    return data.decode("utf-8", errors="replace")


def find_problems(root, patterns=None):
    expression = re.compile("|".join(patterns or private_patterns()))
    for path in files(root):
        for number, line in enumerate(text_of(root / path).splitlines(), 1):
            match = expression.search(line)
            if match:
                yield f"{path}:{number}: names this machine: {match.group()}"


if __name__ == "__main__":
    run_check(find_problems)
