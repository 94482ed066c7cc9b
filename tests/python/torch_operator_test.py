"""What of an operator of PyTorch needs neither PyTorch nor a GPU. tests/python/gpu/calls_torch_operator_gpu.py calls operators."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import warptune
from warptune.torch_operator import Operator, schema_of


def kernel(*arguments: tuple[str, str, str]) -> warptune.Kernel:
    names = ", ".join(f"float* {name}" if kind != "scalar" else f"{dtype} {name}" for name, kind, dtype in arguments)
    described = [{"name": name, "kind": kind, "type": dtype, **({"value": 1} if kind == "scalar" else {"count": "N"})}
                 for name, kind, dtype in arguments]
    return warptune.Kernel(
        name="one", entry="one", source=f'extern "C" __global__ void one({names}) {{}}\n', problem={"N": 64}, parameters={"A": [1, 2]},
        default={"A": 1}, launch={"grid": ["1"], "block": ["32"]}, arguments=described)


def test_a_schema_names_what_is_written_and_scalars_may_be_left_out() -> None:
    assert schema_of(kernel(("x", "in", "f32"), ("y", "out", "f32"), ("z", "inout", "f32")).signature()) == (
        "(Tensor x, Tensor(a1!) y, Tensor(a2!) z) -> ()")
    with_scalars = kernel(("y", "out", "f32"), ("a", "scalar", "f32"), ("b", "scalar", "i64")).signature()
    assert schema_of(with_scalars) == "(Tensor(a0!) y, *, float? a=None, int? b=None) -> ()"


def test_names_that_python_or_pytorch_reserve_are_changed() -> None:
    assert schema_of(kernel(("lambda", "in", "f32"), ("out", "out", "f32")).signature()) == (
        "(Tensor lambda_, Tensor(a1!) out_) -> ()")


class Placed:
    """A tensor and its device, as far as the operator looks at them."""

    def __init__(self, kind: str) -> None:
        self.device = self
        self.type = kind

    def __str__(self) -> str:
        return self.type


def test_tensors_of_the_host_are_refused_before_the_kernel_is_loaded() -> None:
    operator = Operator(kernel(("a", "scalar", "f32"), ("x", "in", "f32"), ("y", "out", "f32")), None, {})
    with pytest.raises(warptune.InputError, match=r'one: argument 2 \("x"\): expected a tensor on a GPU, found one on cpu'):
        operator.launch(Placed("cpu"), Placed("cpu"))


class Library:
    """What `torch.library` was asked to register."""

    def __init__(self, namespace: str, kind: str) -> None:
        self.keys: list[str] = []
        Library.last = self

    def define(self, schema: str) -> None:
        """Does nothing."""

    def impl(self, name: str, function: Any, key: str, with_keyset: bool = False) -> None:
        self.keys.append(key)

    last: "Library"


def test_the_operator_answers_for_tensors_of_the_host_too(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(Library=Library, register_fake=lambda name, function, lib: None)
    ops = SimpleNamespace(kernels=SimpleNamespace(one=SimpleNamespace(default="registered")))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(library=library, ops=ops))
    assert kernel(("y", "out", "f32")).torch_operator("kernels::one") == "registered"
    assert sorted(Library.last.keys) == ["ADInplaceOrView", "Autograd", "CPU", "CUDA"]


@pytest.mark.parametrize("name", ["saxpy", "::saxpy", "my kernels::saxpy", "kernels::", "kernels::a::b"])
def test_a_name_without_a_namespace_is_refused_before_pytorch_is_imported(name: str) -> None:
    with pytest.raises(warptune.InputError, match="is not the name of an operator"):
        kernel(("y", "out", "f32")).torch_operator(name)
