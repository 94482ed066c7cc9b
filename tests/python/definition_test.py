"""Kernels that are described in Python."""

import math
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune.definition import DefinitionFiles, toml_text, toml_value

SAXPY = """__global__ void saxpy(const float* x, float* y, int n) {
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x;
    if (at < n) y[at] += 2.0f * x[at];
  }
}
"""


def described(**changes: Any) -> dict[str, Any]:
    definition = {
        "name": "saxpy", "source": SAXPY, "entry": "saxpy", "problem": {"N": 1 << 20},
        "parameters": {"BLOCK": [64, 128, 256], "ITEMS": {"values": [1, 2, 4], "description": "elements per thread"}},
        "constraints": [lambda BLOCK, ITEMS: BLOCK * ITEMS <= 512, {"expression": "BLOCK > 64 || ITEMS > 1", "reason": "too few"}],
        "default": {"BLOCK": 256, "ITEMS": 1}, "launch": {"grid": ["ceil_div(N, BLOCK * ITEMS)"], "block": ["BLOCK"]},
        "arguments": [{"name": "x", "kind": "in", "type": "f32", "count": "N"}, {"name": "y", "kind": "inout", "type": "f32", "count": "N"},
                      {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        "check": {"reference": "expression", "expression": "y[i] + 2.0f * x[i]", "relative": 1e-6},
        "work": {"bytes": "12 * N", "flops": "2 * N"}}
    return {**definition, **changes}


def read_toml(text: str) -> dict[str, Any]:
    return pytest.importorskip("tomllib").loads(text)  # Python has it from 3.11 on.


def test_the_space_is_that_of_the_description() -> None:
    space = warptune.Kernel(**described()).space
    wanted = {(b, i) for b in (64, 128, 256) for i in (1, 2, 4) if b * i <= 512 and (b > 64 or i > 1)}
    assert {(one["BLOCK"], one["ITEMS"]) for one in space} == wanted
    assert space.problem == {"N": 1 << 20}


def test_rows_of_a_described_buffer_may_be_padded() -> None:
    padded = {"name": "x", "kind": "in", "type": "f32", "count": "N", "width": 64, "pitch": "64 + ITEMS"}
    text = toml_text(described(constraints=[], arguments=[padded, *described()["arguments"][1:]]), "source.cu")
    assert read_toml(text)["argument"][0] == padded


def test_a_described_kernel_is_checked() -> None:
    report = warptune.Kernel(**described()).check(sample=2)
    assert report.passed, str(report)
    assert report.kernel == "saxpy"
    wrong = warptune.Kernel(**described(source=SAXPY.replace("at < n", "at < m"))).check(sample=0)
    assert not wrong.passed
    assert any('"m" is undefined' in finding.title for finding in wrong.findings), str(wrong)
    assert "<pre>" in wrong._repr_html_()


def test_texts_of_others_hold_no_control_characters(tmp_path: Path) -> None:
    report = warptune.Kernel(**described(source=SAXPY + "#error \x1b[31mred\n")).check(sample=0)
    assert "\\u001b[31mred" in str(report)
    assert "\x1b" not in str(report)
    assert str(report).count("\n") > 1
    path = tmp_path / "red\x1b[31m.toml"
    path.write_text('[kernel]\n"entr\\u001b[31mi" = "a"\n')
    with pytest.raises(warptune.InputError) as caught:
        warptune.Kernel(path).space  # noqa: B018
    assert "entr\\u001b[31mi" in caught.value.message
    assert caught.value.file == str(tmp_path / "red\\u001b[31m.toml")
    assert "\x1b" not in str(caught.value)


def test_the_source_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    kernel = warptune.Kernel(**described(source=tmp_path / "saxpy.cu"))
    assert kernel.check(sample=0).passed
    with pytest.raises(warptune.InputError, match=r"none\.cu"):
        warptune.Kernel(**described(source=tmp_path / "none.cu")).space  # noqa: B018


def test_a_described_kernel_is_pickled_with_its_description() -> None:
    kernel = warptune.Kernel(**described())
    size = kernel.space.size
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy.space.size == size
    assert repr(copy) == "<warptune.Kernel saxpy>"


def test_the_same_description_has_the_same_results(tmp_path: Path) -> None:
    recording = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "vector_add-h200.wtrec.zst"
    db = tmp_path / "a.db"
    warptune.Kernel("vector_add").tune(budget=5, replay=recording, db=db)
    with pytest.raises(warptune.InputError, match="not of saxpy"):
        warptune.Kernel(**described()).tune(budget=5, replay=recording, db=db)


def test_what_is_recommended_is_compiled_by_a_check() -> None:
    report = warptune.Kernel(**described(recommended=[{"when": "N > 0", "values": {"BLOCK": 128}}])).check(sample=0)
    assert report.passed
    assert "recommended" in str(report)


def test_an_error_in_a_description_names_the_key() -> None:
    with pytest.raises(warptune.InputError) as caught:
        warptune.Kernel(**described(launch={"grid": ["1"], "blok": ["BLOCK"]})).space  # noqa: B018
    assert "blok" in caught.value.message
    assert caught.value.file.endswith("kernel.toml")


@pytest.mark.parametrize(("arguments", "message"), [
    ({"kernel": "transpose", "name": "other"}, "name= cannot be given"),
    ({}, "name= is missing"),
    ({"name": "saxpy", "source": SAXPY}, "parameters= is missing"),
    (described(work={"bytes": math.nan}), "finite number"),
    (described(default={"BLOCK": object()}), "not a value of a definition"),
])
def test_a_description_that_is_not_complete_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(warptune.InputError, match=message):
        warptune.Kernel(**arguments).space  # noqa: B018


def test_files_of_a_description_are_removed_by_their_process_alone() -> None:
    kernel = warptune.Kernel(**described())
    folder = Path(kernel._source(None, {}).kernel).parent
    assert folder.is_dir()
    child = os.fork()
    if child == 0:
        del kernel
        os._exit(0 if folder.is_dir() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    del kernel
    assert not folder.exists()


def test_threads_that_share_a_description_share_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = warptune.Kernel(**described())
    others: list[str] = []

    class Overtaken(DefinitionFiles):
        """On the main thread, another thread makes its files and uses them before these are known."""

        def __init__(self, definition: Any) -> None:
            super().__init__(definition)
            if threading.current_thread() is threading.main_thread():
                with ThreadPoolExecutor(1) as pool:
                    others.append(pool.submit(lambda: kernel._source(None, {}).kernel).result())

    monkeypatch.setattr("warptune.definition.DefinitionFiles", Overtaken)
    assert [kernel._source(None, {}).kernel] == others
    assert Path(others[0]).is_file()


def test_a_name_that_is_a_path_writes_no_file_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(warptune.InputError, match="name"):
        warptune.Kernel(**described(name=str(tmp_path / "other"))).space  # noqa: B018
    assert not list(tmp_path.iterdir())


def test_toml_holds_every_value_as_it_was() -> None:
    values = {"text": 'a "b" \\ \n\t\x01\x7fé🙂', "empty": "", "number": -3, "real": 1e-300, "flag": True, "list": [1, [2.5, "x"]],
              "table": {"a b": {"c": False}}, "path": Path("a/b")}
    read = read_toml("\n".join(f"{key} = {toml_value(value)}" for key, value in values.items()))
    assert read == {**values, "path": "a/b"}


def test_toml_holds_a_number_that_writes_itself_otherwise() -> None:
    class Real(float):
        def __repr__(self) -> str:
            return f"np.float64({float(self)})"

    assert toml_value(Real(0.5)) == "0.5"


def test_the_file_has_the_tables_of_the_description() -> None:
    definition = {**described(), "constraints": ["BLOCK > 1"]}
    read = read_toml(toml_text(definition, "source.cu"))
    assert read["kernel"] == {"name": "saxpy", "entry": "saxpy", "source": "source.cu"}
    assert read["argument"] == definition["arguments"]
    assert read["constraints"] == {"list": ["BLOCK > 1"]}
    assert read["launch"] == definition["launch"]
