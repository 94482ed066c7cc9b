#!/usr/bin/env python3
"""run_in_environment.py ENVIRONMENT TEST [--libraries]: runs a file of tests by the interpreter of an environment.

The environment has only the package. pytest comes from the environment of this interpreter. With --libraries, the libraries that read
tables and run notebooks come from there, too. The database, the caches and the home folder are new."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile


def main():
    environment, test, *libraries = sys.argv[1:]
    folders = [sysconfig.get_path("purelib"), *(f"{sys.prefix}/libraries" for _ in libraries)]
    kept = ("WARPTUNE_FAKE_GPU_WORKER", "WARPTUNE_UPDATE_SNAPSHOTS")
    with tempfile.TemporaryDirectory() as home:
        variables = {name: value for name, value in os.environ.items()
                     if name in kept or not name.startswith(("WARPTUNE_", "XDG_", "PYTHON"))}
        variables |= {"HOME": home, "XDG_DATA_HOME": f"{home}/data", "XDG_CACHE_HOME": f"{home}/cache", "PYTHONDONTWRITEBYTECODE": "1",
                      "PYTHONPATH": ":".join(folders)}
        python = pathlib.Path(environment) / "bin" / "python"
        sys.exit(subprocess.run([python, "-m", "pytest", test], env=variables).returncode)


if __name__ == "__main__":
    main()
