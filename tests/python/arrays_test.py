"""Tuning on arrays of the caller, with a fake worker instead of a GPU.

Results of the fake worker are the value of the first parameter in every byte.
"""

import array
import contextlib
import ctypes
import os
import pickle
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune.arrays import add, checked_by, referred

FAKE = os.environ["WARPTUNE_FAKE_GPU_WORKER"]
NUMBERS = array.array("f", [0.5] * 1024)


@pytest.fixture(autouse=True)
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPTUNE_WORKER", FAKE)


def toy() -> warptune.Kernel:
    return warptune.Kernel(
        name="toy", entry="toy", problem={"N": 1024}, parameters={"A": [1, 2, 3, 4], "B": [False, True]}, default={"A": 1, "B": False},
        source='extern "C" __global__ void toy(float* x) {\n  x[blockIdx.x * 32 + threadIdx.x] *= 2.0f;\n}\n',
        launch={"grid": ["ceil_div(N, 32)"], "block": ["32"]},
        arguments=[{"name": "x", "kind": "inout", "type": "f32", "count": "N", "init": {"kind": "constant", "value": 1.0}}],
        work={"flops": "N", "bytes": "8 * N"})


def tuned(tmp_path: Path, **options: object) -> warptune.TuningResult:
    return toy().tune(budget="all", strategy="exhaustive", db=tmp_path / "a.db", jobs=1, **options)  # type: ignore[arg-type]


class Described:
    """Memory that only `__array_interface__` describes."""

    def __init__(self, **changes: object) -> None:
        self._memory = (ctypes.c_float * 1024)(*NUMBERS)
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "shape": (32, 32), "data": (ctypes.addressof(self._memory), False),
                                    **changes}


@pytest.mark.parametrize("given", [NUMBERS, memoryview(NUMBERS), Described()])
def test_inputs_and_expected_values_reach_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: object) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("FAKE_CONTENTS_TO", str(seen))
    result = tuned(tmp_path, inputs={"x": given}, expected={"x": NUMBERS})
    raw = NUMBERS.tobytes()
    assert seen.read_bytes() == b"x first f32 " + raw + b"\nx expected f32 " + raw + b"\n"
    assert result.evaluated == 8 and not result.replayed


def test_a_reference_may_return_a_list() -> None:
    assert referred([("x", "in"), ("y", "out")], {"x": 1}, lambda x: [x]) == {"y": 1}
    with pytest.raises(warptune.InputError, match="reference= returned 2 arrays, but the kernel has 1 outputs"):
        referred([("x", "in"), ("y", "out")], {"x": 1}, lambda x: [x, x])


def test_a_progress_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(warptune.InputError, match="progress=5: expected a function"):
        toy().tune(progress=5)


def test_a_reference_gets_the_arrays_and_gives_the_expected_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("FAKE_CONTENTS_TO", str(seen))
    doubled = array.array("f", [1.0] * 1024)
    asked: list[object] = []

    def reference(x: object) -> object:
        asked.append(x)
        return doubled

    answers = (reference, lambda x: (doubled,), lambda x: {"x": doubled})
    for count, answer in enumerate(answers):
        tuned(tmp_path, inputs={"x": NUMBERS}, reference=answer, fresh=count > 0)
        assert seen.read_bytes().endswith(b"\nx expected f32 " + doubled.tobytes() + b"\n")
    assert asked == [NUMBERS] and asked[0] is NUMBERS


def test_a_check_decides_on_the_calling_thread(tmp_path: Path) -> None:
    asked: list[int] = []

    def check(results: dict[str, memoryview]) -> str | bool | None:
        x = results["x"]
        assert (x.format, x.shape, threading.get_ident()) == ("f", (1024,), caller)
        value = x.tobytes()[0]
        asked.append(value)
        return {1: None, 2: True, 3: "three is wrong", 4: False}[value]

    caller = threading.get_ident()
    result = tuned(tmp_path, inputs={"x": NUMBERS}, check=check)
    assert sorted(asked) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert {status: count for status, count in result.by_status.items() if count} == {"measured": 4, "wrong_result": 4}
    assert result.best.configuration["A"] in (1, 2)


def test_an_exception_of_a_check_ends_the_session(tmp_path: Path) -> None:
    def check(results: dict[str, memoryview]) -> bool:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tuned(tmp_path, check=check)
    with pytest.raises(TypeError, match="must return None"):
        tuned(tmp_path, check=lambda results: Unclear())


def test_results_of_16_bits_are_shown_as_integers() -> None:
    seen: list[tuple[str, list[int]]] = []
    ask = checked_by(lambda results: seen.extend((one.format, one.tolist()) for one in results.values()))
    assert ask([("h", "f16", b"\x00\x3c"), ("b", "bf16", b"\x80\x3f")]) is None
    assert seen == [("H", [0x3C00]), ("H", [0x3F80])]


def test_a_view_of_cuda_core_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("FAKE_CONTENTS_TO", str(seen))
    memory = (ctypes.c_float * 1024)(*NUMBERS)
    view = types.SimpleNamespace(ptr=ctypes.addressof(memory), shape=(32, 32), strides=(32, 1), device_id=-1, is_device_accessible=False,
                                 readonly=False, exporting_obj=memory, dtype=types.SimpleNamespace(str="<f4", itemsize=4))
    tuned(tmp_path, inputs={"x": view})
    assert seen.read_bytes() == b"x first f32 " + NUMBERS.tobytes() + b"\n"
    view.strides = (1, 32)
    with pytest.raises(warptune.InputError, match="do not lie one after the other"):
        tuned(tmp_path, inputs={"x": view})


def test_a_tensor_is_copied_while_its_device_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    current = [0]
    seen: list[tuple[int, object]] = []

    class Tensor:
        def __init__(self, *, is_cuda: bool, device: int) -> None:
            self.is_cuda, self.device = is_cuda, device

    @contextlib.contextmanager
    def device(ordinal: int) -> Iterator[None]:
        current[0] = ordinal
        yield
        current[0] = 0

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Tensor, cuda=types.SimpleNamespace(device=device)))
    own: Any = types.SimpleNamespace(add_array=lambda name, expected, array, kind: seen.append((current[0], array)))
    given = [Tensor(is_cuda=True, device=1), Tensor(is_cuda=False, device=5), NUMBERS]
    for one in given:
        add(own, "x", False, one)
    assert seen == list(zip((1, 0, 0), given, strict=True)) and current == [0]


def test_a_wrong_device_of_dlpack_is_refused(tmp_path: Path) -> None:
    for device in ([2, 0], None, (2,)):
        class Wrong:
            def __dlpack_device__(self, device: object = device) -> object:
                return device

            def __dlpack__(self, **asked: object) -> object:
                raise BufferError("not now")
        with pytest.raises(warptune.InputError, match="argument 'x': its __dlpack_device__ is not a tuple of two numbers"):
            tuned(tmp_path, inputs={"x": Wrong()})


class Unclear:
    def __bool__(self) -> bool:
        raise ValueError("neither")


def test_rows_belong_to_the_kernel_whatever_its_data_are(tmp_path: Path) -> None:
    tuned(tmp_path, inputs={"x": NUMBERS})
    again = tuned(tmp_path)
    assert again.evaluated == 0 or again.document["known_before"] == 8


@pytest.mark.parametrize(("options", "message"), [
    ({"inputs": {"x": NUMBERS[:1023]}}, r"argument 'x' has 4096 bytes \(1024 x f32\) for N=1024, found 4092"),
    ({"inputs": {"x": array.array("i", [0] * 1024)}}, "argument 'x' has elements of type f32, found i32"),
    ({"inputs": {"y": NUMBERS}}, "toy has no argument 'y'"),
    ({"inputs": {"x": [0.5]}}, "argument 'x': expected an array, found .*list"),
    ({"inputs": {"x": Described(typestr=">f4")}}, "elements of type >f4"),
    ({"inputs": {"x": Described(strides=(4, 128))}}, "do not lie one after the other"),
    ({"inputs": {"y": NUMBERS}, "reference": len}, "the kernel has no input 'y'"),
    ({"reference": lambda: (NUMBERS, NUMBERS)}, "returned 2 arrays, but the kernel has 1 outputs: x"),
    ({"expected": {"x": NUMBERS}, "check": bool}, "expected= and check= exclude each other"),
    ({"check": bool, "device": "all"}, "check= needs one GPU"),
])
def test_what_does_not_fit_is_an_input_error(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(warptune.InputError, match=message):
        tuned(tmp_path, **options)


def test_without_a_gpu_no_recording_answers_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPTUNE_WORKER")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for options in ({"inputs": {}}, {"check": bool}):
        with pytest.raises(warptune.MachineError):
            warptune.Kernel("vector_add").tune(budget=5, db=tmp_path / "a.db", **options)  # type: ignore[arg-type]


def test_kernels_and_results_are_pickled_by_their_definition(tmp_path: Path) -> None:
    kernel = pickle.loads(pickle.dumps(toy()))
    assert kernel.space.size == 8
    space = pickle.loads(pickle.dumps(kernel.space_for(N=2048)))
    assert list(space) == list(kernel.space) and space.problem == {"N": 2048}
    result = kernel.tune(budget="all", db=tmp_path / "a.db", jobs=1)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert len(copy.results()) == len(result.results()) == 8
