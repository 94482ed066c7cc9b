#!/usr/bin/env python3
"""wheel_test.py BUILD ENVIRONMENT: makes a wheel of what BUILD has, and installs it into an empty virtual environment.

It is run by the interpreter of build/python, which has the tools. The other tests of the package use the environment."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("warptune/__init__.py", "warptune/py.typed", "warptune/_native.pyi", "warptune/bin/warptune",
         "warptune/share/warptune/kernels/transpose.cu",
         "warptune/share/warptune/kernels/sgemm.recommended.toml", "warptune/share/warptune/recordings/transpose-h200.wtrec.zst",
         "warptune/share/warptune/report/report.html", "warptune/share/warptune/stand_ins/vector")


NEWEST_GLIBC = (2, 34)
"""docs/python.md and scripts/wheels name it. A shared library of Debian that this build links with, but no wheel, may need a newer one."""


def glibc_of(file):
    """The newest version of glibc whose symbols a program or a library needs."""
    told = subprocess.run(["readelf", "--version-info", file], check=True, capture_output=True, text=True).stdout
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"Name: GLIBC_(2\.\d+)", told))


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], check=True)


def main():
    build, environment = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        pip("wheel", str(ROOT), "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder,
            "--config-settings", f"build-dir={folder}/build", "--config-settings", f"cmake.define.WARPTUNE_PREBUILT={build}")
        wheel, = pathlib.Path(folder).glob("*.whl")
        names = set(zipfile.ZipFile(wheel).namelist())
        missing = [part for part in PARTS if part not in names]
        assert not missing, f"{wheel.name} lacks {missing}"
        extensions = [name for name in names if name.startswith("warptune/_native.") and name.endswith(".so")]
        assert len(extensions) == 1, extensions
        shutil.rmtree(environment, ignore_errors=True)
        venv.create(environment, with_pip=False)
        pip("--python", str(environment / "bin" / "python"), "install", "--quiet", "--no-deps", str(wheel))
    program = environment / "bin" / "warptune"
    listed = subprocess.run([program, "list"], check=True, capture_output=True, text=True, env={"HOME": str(environment)})
    assert "transpose" in listed.stdout, listed.stdout
    extension, = (environment / "lib").glob("python*/site-packages/warptune/_native.*.so")
    for file in (extension, extension.parent / "bin" / "warptune"):
        assert glibc_of(file) <= NEWEST_GLIBC, f"{file.name} needs glibc {glibc_of(file)}, so fewer systems can run the wheel"
    print(f"{wheel.name} is installed in {environment}")


if __name__ == "__main__":
    main()
