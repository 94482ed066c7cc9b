"""The console script `warptune`: it becomes the program that the package has."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(__file__), "bin", "warptune")
    os.execv(program, [program, *sys.argv[1:]])
