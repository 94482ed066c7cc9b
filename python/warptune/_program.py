"""The console script `warptune`. It replaces itself by the program `warptune` that the package contains."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(__file__), "bin", "warptune")
    os.execv(program, [program, *sys.argv[1:]])
