"""Uses the installed wheel as a first user would, without a GPU and without another package. scripts/wheels runs it.

The last line names the wheel, the time of the import in this process, and what was found."""

import importlib.metadata
import subprocess
import sys
import tempfile
import time
from pathlib import Path

start = time.perf_counter()
import warptune  # noqa: E402

imported_ms = (time.perf_counter() - start) * 1e3


def main() -> None:
    program = Path(sys.executable).parent / "warptune"
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert told == f"warptune {warptune.__version__}", told
    recording = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"
    with tempfile.TemporaryDirectory() as folder:
        result = warptune.Kernel("transpose").tune(budget=50, replay=recording, db=Path(folder) / "warptune.db")
        assert result.replayed and result.evaluated == 50 and len(result.results()) == 50, result
    fill = warptune.Kernel(name="fill", source="\n", entry="fill", problem={"N": 64}, parameters={"BLOCK": [32, 64]},
                           launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
                           arguments=[{"name": "out", "kind": "out", "type": "f32", "count": "N"}])
    assert len(fill.space) == 2
    tag = next(line for line in (importlib.metadata.distribution("warptune").read_text("WHEEL") or "").splitlines()
               if line.startswith("Tag: "))
    print(f"{tag[5:]}: imported in {imported_ms:.1f} ms, replayed {result.evaluated} configurations, best {result.best.median_ns} ns")


if __name__ == "__main__":
    main()
