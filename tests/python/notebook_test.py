"""A kernel of Jupyter runs docs/python-notebook.ipynb, whose stored outputs are those that it gives, and shows the progress of a session.

WARPTUNE_UPDATE_SNAPSHOTS=1 writes the outputs into the notebook."""

import copy
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

nbclient: Any = pytest.importorskip("nbclient")
nbformat: Any = pytest.importorskip("nbformat")
NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "python-notebook.ipynb"
CHANGING = re.compile(r"\b\d+\.\d+ s\b|elapsed_s=[\d.e-]+|data:image/svg\+xml;base64,[\w+/=]+|/\S*/")
"""Times of this run, charts that show them, and folders of this machine."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Any]:
    """Runs a notebook without a GPU, in a folder and with a database of its own, and returns it with its outputs."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONWARNINGS", "error::UserWarning:warptune")
    kernels = tmp_path / "kernels" / "python3"
    kernels.mkdir(parents=True)
    arguments = ", ".join(f'"{part}"' for part in (sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"))
    (kernels / "kernel.json").write_text(f'{{"argv": [{arguments}], "display_name": "Python 3", "language": "python"}}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    def run_notebook(notebook: Any) -> Any:
        done = copy.deepcopy(notebook)
        nbclient.NotebookClient(done, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
        return done
    return run_notebook


def stable(outputs: list[Any]) -> list[Any]:
    """Outputs without what differs from run to run."""
    shown = []
    for output in outputs:
        data = {kind: CHANGING.sub("_", "".join(text)) for kind, text in output.get("data", {}).items()}
        shown.append((output["output_type"], data, CHANGING.sub("_", output.get("text", ""))))
    return shown


def test_the_notebook_gives_the_outputs_that_it_stores(run: Callable[[Any], Any]) -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    done = run(stored)
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # When it ran.
    if os.environ.get("WARPTUNE_UPDATE_SNAPSHOTS"):
        done.metadata = stored.metadata
        nbformat.write(done, NOTEBOOK)
        return
    cells = [(one, other) for one, other in zip(stored.cells, done.cells, strict=True) if one.cell_type == "code"]
    assert len(cells) >= 6
    for one, other in cells:
        assert one.outputs, f"no output is stored for: {one.source}"
        assert stable(other.outputs) == stable(one.outputs), f"of other outputs than the stored ones: {one.source}"


def test_progress_is_one_output_that_changes(run: Callable[[Any], Any]) -> None:
    code = """
import warptune, IPython
recording = warptune.__path__[0] + "/share/warptune/recordings/transpose-h200.wtrec.zst"
updates = []
shown = IPython.display.DisplayHandle.update
IPython.display.DisplayHandle.update = lambda self, *more, **named: (updates.append(more), shown(self, *more, **named))[1]
done = warptune.Kernel("transpose").tune(budget=300, replay=recording, progress=True)
print(len(updates) > 0, done.evaluated)
"""
    cell, = run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])).cells
    bars = [output for output in cell.outputs if output["output_type"] == "display_data"]
    assert len(bars) == 1
    assert '<progress value="1.0000" max="1">' in bars[0]["data"]["text/html"]
    assert "300 evaluated in" in bars[0]["data"]["text/html"]
    printed = [output for output in cell.outputs if output["output_type"] == "stream"]
    assert [(output["name"], output["text"]) for output in printed] == [("stdout", "True 300\n")]
