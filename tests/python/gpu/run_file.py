#!/usr/bin/env python3
"""run_file.py FILE: runs a file's functions test_... one after the other, and prints a line for each. It needs no pytest.

A test that raises `Skipped` is skipped. The exit code is 1 if a test failed."""

import importlib.util
import inspect
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path


def main() -> int:
    path = Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(path.parent))
    home = tempfile.mkdtemp(prefix="warptune-test-")
    os.environ.setdefault("XDG_DATA_HOME", home)  # An empty database.
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # A module that cannot be imported skips the file.
        if type(error).__name__ != "Skipped":
            raise
        print(f"SKIPPED {path.name}: {error}")
        return 0
    failed = 0
    for name, test in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("test_"):
            continue
        start = time.perf_counter()
        verdict = "ok"
        try:
            test(*[Path(tempfile.mkdtemp(prefix="warptune-test-")) for _ in inspect.signature(test).parameters])
        except Exception as error:
            verdict = f"SKIPPED {error}" if type(error).__name__ == "Skipped" else "FAILED"
            if verdict == "FAILED":
                failed += 1
                traceback.print_exc()
        print(f"{verdict:8} {name} ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"{path.name}: {failed} failed" if failed else f"{path.name}: all right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
