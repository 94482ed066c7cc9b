"""Kernels and helpers that the tests on a GPU share."""

import importlib
import re
from collections.abc import Callable
from typing import Any

import warptune


class Skipped(Exception):
    """The machine lacks what a test needs."""


def require(module: str) -> Any:
    """A module, or `Skipped`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Skipped(f"{module}: {error}") from None


def saxpy(**described: Any) -> warptune.Kernel:
    """y = a x + y. The scalar `a` is free, and `n` follows from the problem."""
    description: dict[str, Any] = {
        "name": "called_saxpy", "entry": "saxpy", "problem": {"N": 1 << 20}, "parameters": {"BLOCK": [64, 128, 256], "ITEMS": [1, 2]},
        "source": """
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x;
    if (at < n) y[at] += a * x[at];
  }
}
""",
        "default": {"BLOCK": 256, "ITEMS": 1}, "launch": {"grid": ["ceil_div(N, BLOCK * ITEMS)"], "block": ["BLOCK"]},
        "arguments": [{"name": "x", "kind": "in", "type": "f32", "count": "N"},
                      {"name": "y", "kind": "inout", "type": "f32", "count": "N"},
                      {"name": "a", "kind": "scalar", "type": "f32", "value": "2.0"},
                      {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        "check": {"reference": "expression", "expression": "y[i] + 2.0f * x[i]"}, "work": {"bytes": "12 * N", "flops": "2 * N"}}
    return warptune.Kernel(**{**description, **described})


def with_workspace() -> warptune.Kernel:
    """Counts blocks in a scratch buffer that is zeroed before each launch, and writes each element's block number + 1 into `out`."""
    return warptune.Kernel(
        name="called_with_workspace", entry="numbered", problem={"N": 1 << 16}, parameters={"BLOCK": [128, 256]},
        source="""
extern "C" __global__ void numbered(const float* in, float* out, unsigned* counters, int n) {
  const int at = blockIdx.x * BLOCK + threadIdx.x;
  if (at >= n) return;
  const unsigned before = atomicAdd(&counters[at], 1u);
  out[at] = in[at] + before;
}
""",
        default={"BLOCK": 256}, launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        arguments=[{"name": "in", "kind": "in", "type": "f32", "count": "N"}, {"name": "out", "kind": "out", "type": "f32", "count": "N"},
                   {"name": "counters", "kind": "scratch", "type": "u32", "count": "N", "zero": True},
                   {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        check={"reference": "expression", "expression": "in[i]"}, work={"bytes": "16 * N"})


def tuned(kernel: warptune.Kernel) -> warptune.Kernel:
    """The kernel, with results in the database."""
    kernel.tune(budget=4, metrics="none")
    return kernel


def refusal(call: Callable[[], object], kind: type[Exception] = warptune.InputError) -> str:
    """The text of the error that a call raises. It is one sentence on one line."""
    try:
        call()
    except kind as error:
        text = str(error)
        assert text and "\n" not in text and not re.search(r"[.!?] [A-Z]", text), text
        return text
    raise AssertionError(f"{kind.__name__} was not raised")
