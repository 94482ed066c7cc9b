"""The Python code of docs/python-pytorch.md runs, in order."""

import re
from pathlib import Path

from gpu_kernels import require

torch = require("torch")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "python-pytorch.md"


def blocks_of_the_page():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    return blocks


def test_the_first_lines_lead_from_nothing_to_a_tuned_kernel_on_a_tensor():
    first = blocks_of_the_page()[0]
    names = {}
    exec(compile(first, str(PAGE), "exec"), names)
    assert torch.allclose(names["y"], 2 * names["x"]) and bool((names["x"] != 0).any())
    assert names["fn"].match.match == "exact"
    print(f"{sum(bool(line.strip()) for line in first.splitlines())} lines, {names['fn'].configuration}")


def test_the_code_of_the_page_runs(tmp_path):
    blocks = blocks_of_the_page()
    script = tmp_path / "page.py"  # torch.compile reads the source of functions.
    script.write_text("\n".join(blocks), encoding="utf-8")
    names = {"__name__": "page", "__file__": str(script)}
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), names)
    x, y = torch.ones(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
    names["fn"](x, y)
    assert bool((y == 2).all())
