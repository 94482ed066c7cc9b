"""Tuning on tensors of PyTorch, CuPy and NumPy. It needs a GPU; libraries that are missing are left out.

Run it as a program: each function whose name begins with `test_` is called.
"""

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import warptune

SIZE = 1 << 20
SOURCE = """
extern "C" __global__ void axpy(const TYPE* x, TYPE* y, int n) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) y[i] = y[i] + TYPE(2.0f) * x[i];
}
"""


def axpy(kind: str = "f32", cuda: str = "float", header: str = "") -> warptune.Kernel:
    return warptune.Kernel(
        name=f"axpy_{kind}", entry="axpy", source=header + SOURCE.replace("TYPE", cuda), problem={"N": SIZE},
        parameters={"BLOCK": [128, 256]}, default={"BLOCK": 128}, launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        arguments=[{"name": "x", "kind": "in", "type": kind, "count": "N"}, {"name": "y", "kind": "inout", "type": kind, "count": "N"},
                   {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        work={"flops": "2 * N"})


def tuned(kernel: warptune.Kernel, **options: Any) -> warptune.TuningResult:
    with tempfile.TemporaryDirectory() as folder:
        return kernel.tune(budget="all", db=Path(folder) / "a.db", replay=False, **options)


def all_wrong(kernel: warptune.Kernel, **options: Any) -> bool:
    try:
        tuned(kernel, **options)
    except warptune.WorkError:
        return True
    return False


def test_numpy() -> None:
    import numpy
    x, y = numpy.random.default_rng(1).random((2, SIZE), dtype=numpy.float32)
    right = y + 2 * x
    inputs = {"x": x, "y": y}
    assert tuned(axpy(), inputs=inputs, reference=lambda x, y: y + 2 * x).by_status["measured"] == 2
    assert tuned(axpy(), inputs=inputs, expected={"y": right}).by_status["measured"] == 2
    seen = []

    def check(results: dict[str, memoryview]) -> bool:
        found = numpy.asarray(results["y"])
        seen.append(found.shape)
        return bool(numpy.allclose(found, right))

    assert tuned(axpy(), inputs=inputs, check=check).by_status["measured"] == 2
    assert seen and set(seen) == {(SIZE,)}
    assert all_wrong(axpy(), inputs=inputs, expected={"y": right + 1})
    assert all_wrong(axpy(), inputs=inputs, check=lambda results: "no")
    assert tuned(axpy(), inputs={"x": x[::-1], "y": y}, reference=lambda x, y: y + 2 * x).by_status["measured"] == 2


def test_torch() -> None:
    import torch
    headers = {"f16": "#include <cuda_fp16.h>\n", "bf16": "#include <cuda_bf16.h>\n", "f32": ""}
    types = {"f16": (torch.float16, "__half"), "bf16": (torch.bfloat16, "__nv_bfloat16"), "f32": (torch.float32, "float")}
    for device in ("cuda", "cpu"):
        for kind, (dtype, cuda) in types.items():
            inputs = {name: torch.rand(SIZE, device=device).to(dtype).requires_grad_() for name in ("x", "y")}
            kernel = axpy(kind, cuda, headers[kind])
            assert tuned(kernel, inputs=inputs, reference=lambda x, y: y + 2 * x).by_status["measured"] == 2, (device, kind)
            assert all_wrong(kernel, inputs=inputs, reference=lambda x, y: y + 3 * x + 1), (device, kind)


def test_torch_on_another_stream() -> None:
    """Work that is not done when `tune` is called belongs to the contents of its tensors."""
    import torch
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(1 << 30)
        inputs = {"x": torch.ones(SIZE, device="cuda"), "y": torch.zeros(SIZE, device="cuda")}
        for _ in range(50):
            inputs["x"] += 1
        expected = {"y": torch.full((SIZE,), 102.0)}
        assert tuned(axpy(), inputs=inputs, expected=expected).by_status["measured"] == 2


def test_torch_on_the_second_gpu() -> None:
    """The tensors may be on a GPU that is not current, and not the one that is tuned."""
    import torch
    if torch.cuda.device_count() < 2:
        print("a second GPU is missing: left out")
        return
    inputs = {name: torch.rand(SIZE, device="cuda:1") for name in ("x", "y")}
    for device in (0, 1):
        assert tuned(axpy(), inputs=inputs, reference=lambda x, y: y + 2 * x, device=device).by_status["measured"] == 2
    assert all_wrong(axpy(), inputs=inputs, reference=lambda x, y: y + 3 * x + 1, device=1)


def test_cupy() -> None:
    import cupy
    inputs = {name: cupy.random.random(SIZE, dtype=cupy.float32) for name in ("x", "y")}
    with cupy.cuda.Stream(non_blocking=True):  # The copy waits for work of the current stream.
        inputs["x"] = inputs["x"] * 2
        assert tuned(axpy(), inputs=inputs, reference=lambda x, y: y + 2 * x).by_status["measured"] == 2
    assert all_wrong(axpy(), inputs=inputs, reference=lambda x, y: y)


def main() -> None:
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        library = name.split("_")[1]
        if importlib.util.find_spec(library) is None:
            print(f"{name}: {library} is not installed, left out")
            continue
        test()
        print(f"{name}: right")


if __name__ == "__main__":
    main()
