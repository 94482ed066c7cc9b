"""Runs the Python of docs/python.md: all blocks of code in order, as a reader would, but not those that need a GPU.

docs/python-pytorch.md begins with twelve lines. What of them needs no GPU runs here, and tests/python/gpu/page_gpu.py runs all."""

import re
from pathlib import Path
from typing import Any

import pytest

import warptune

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
FIRST_LINES = PAGE.with_name("python-pytorch.md")
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


def test_twelve_lines_lead_from_nothing_to_a_tuned_kernel_on_a_tensor() -> None:
    block = BLOCK.search(FIRST_LINES.read_text(encoding="utf-8"))
    assert block is not None
    lines = [line for line in block[1].splitlines() if line.strip()]
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 140, "a line is a line of the code of this project"
    assert lines[0] == "import torch" and lines[-1] == "fn(x, y)"
    tensors = next(number for number, line in enumerate(lines) if "torch." in line)
    names: dict[str, Any] = {}
    exec("\n".join(lines[1:tensors]), names)
    report = names["saxpy"].check()
    assert report.passed, str(report)
    assert [argument.name for argument in names["saxpy"].signature()] == ["x", "y", "a", "n"]
