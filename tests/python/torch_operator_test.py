"""What of an operator of PyTorch needs neither PyTorch nor a GPU. tests/python/gpu/calls_torch_operator_gpu.py calls operators."""

import pytest

import warptune
from warptune.torch_operator import schema_of


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


@pytest.mark.parametrize("name", ["saxpy", "::saxpy", "my kernels::saxpy", "kernels::", "kernels::a::b"])
def test_a_name_without_a_namespace_is_refused_before_pytorch_is_imported(name: str) -> None:
    with pytest.raises(warptune.InputError, match="is not the name of an operator"):
        kernel(("y", "out", "f32")).torch_operator(name)
