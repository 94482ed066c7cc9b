"""Runs the Python of docs/python.md: all blocks of code in order, as a reader would, but not those that need a GPU."""

import re
from pathlib import Path

import pytest

import warptune

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"(?<!<!-- needs-gpu -->\n)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 5
    code = re.sub("[^\n]", "", text[:blocks[0].start(1)])  # The lines of the code keep their numbers.
    for block, after in zip(blocks, [*(one.start(1) for one in blocks[1:]), len(text)], strict=True):
        code += block[1] + re.sub("[^\n]", "", text[block.end(1):after])
    script = tmp_path / "python.py"
    script.write_text(code, encoding="utf-8")
    with pytest.warns(warptune.TuningWarning):
        exec(compile(code, str(script), "exec"), {})
