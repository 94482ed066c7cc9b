#!/usr/bin/env python3
"""typed_test.py BUILD: the stubs fit the extension that BUILD has, and the Python code passes ruff and mypy.

WARPTUNE_UPDATE_SNAPSHOTS=1 writes the stubs again."""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUBS = ROOT / "python" / "warptune" / "_native.pyi"
PATTERNS = pathlib.Path(__file__).resolve().parent / "stub_patterns.txt"
CHECKED = ("python/warptune", "tests/python")


def stub_text(build):
    """The stubs of the extension, as nanobind writes them."""
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "_native.pyi"
        code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from nanobind.stubgen import main; main(sys.argv[1:])"
        package = str(build / "python" / "warptune")
        subprocess.run([sys.executable, "-c", code, package, "-q", "--exclude-values", "-p", str(PATTERNS), "-m", "_native",
                        "-o", str(written)], check=True)
        return written.read_text(encoding="utf-8")


def main():
    text = stub_text(pathlib.Path(sys.argv[1]).resolve())
    if os.environ.get("WARPTUNE_UPDATE_SNAPSHOTS"):
        STUBS.write_text(text, encoding="utf-8")
    known = STUBS.read_text(encoding="utf-8") if STUBS.exists() else ""
    if text != known:
        print(*difflib.unified_diff(known.splitlines(), text.splitlines(), "_native.pyi", "the extension", lineterm=""), sep="\n")
        sys.exit("the stubs are not those of the extension: WARPTUNE_UPDATE_SNAPSHOTS=1 scripts/test python -R typed writes them")
    cache = pathlib.Path(sys.argv[1]).resolve() / "python"
    for tool in (["ruff", "check", "--quiet", "--no-cache"], ["mypy", "--no-error-summary", "--cache-dir", str(cache / "mypy")]):
        subprocess.run([sys.executable, "-m", *tool, *(CHECKED if tool[0] == "ruff" else CHECKED[:1])], check=True, cwd=ROOT)
    user = """import warptune
def of(fn: warptune.LoadedKernel) -> tuple[warptune.Measurement | None, bool | int | float | str]:
    return fn.match.best, fn.problem["N"]
"""
    subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(cache / "mypy"), "-c", user],
                   check=True, cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "python")})


if __name__ == "__main__":
    main()
