"""Tests Kernel Tuner's calls on a GPU. This is a program. It needs NumPy, and uses CuPy and PyTorch if they are installed."""

import importlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy

import warptune
from warptune.compat.kernel_tuner import PythonKernel, run_kernel, tune_kernel
from warptune.compat.kernel_tuner.accuracy import TunablePrecision
from warptune.compat.kernel_tuner.observers.nvml import NVMLObserver
from warptune.compat.kernel_tuner.observers.register import RegisterObserver

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="warptune-test-")

ADD = """extern "C" __global__ void add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] BROKEN;
}
"""
RIGHT = ADD.replace(" BROKEN", "")
N = 1_000_003
PARAMETERS: dict[str, list[Any]] = {"block_size_x": [64, 128, 256, 512]}


def data() -> list[Any]:
    source = numpy.random.default_rng(1)
    a, b = (source.random(N, dtype=numpy.float32) for _ in range(2))
    return [numpy.zeros(N, dtype=numpy.float32), a, b, numpy.int32(N)]


def test_a_kernel_is_tuned_on_the_arrays_of_the_caller() -> None:
    arguments = data()
    answer = [arguments[1] + arguments[2], None, None, None]
    results, env = tune_kernel("add", RIGHT, N, arguments, PARAMETERS, answer=answer, quiet=True, observers=[RegisterObserver()],
                               metrics={"GB/s": lambda p: 12e-6 * N / p["time"]})
    assert sorted(one["block_size_x"] for one in results) == PARAMETERS["block_size_x"]
    assert all(one["time"] > 0 and one["GB/s"] > 1 and one["num_regs"] > 0 and "__error__" not in one for one in results), results
    assert env["device_name"] and env["best_config"] in results
    assert not arguments[0].any()  # The caller's arrays stay as they are.


def test_an_argument_has_the_precision_of_a_parameter() -> None:
    source = numpy.random.default_rng(1)
    a, b = (source.random(N) for _ in range(2))
    arguments = [TunablePrecision("real", one) for one in (numpy.zeros(N), a, b)]
    parameters = {**PARAMETERS, "real": ["half", "float", "double"]}
    source_text = "#include <cuda_fp16.h>\n" + RIGHT.replace("float", "real")
    results, _ = tune_kernel("add", source_text, N, [*arguments, numpy.int32(N)], parameters, quiet=True)
    assert len(results) == 12 and all("__error__" not in one for one in results), results
    assert {one["real"] for one in results} == {"half", "float", "double"}


def test_nvml_says_the_temperature_and_the_clocks() -> None:
    observers = [NVMLObserver(["nvml_energy", "temperature", "core_freq", "mem_freq"])]
    results, _ = tune_kernel("add", RIGHT, N, data(), PARAMETERS, quiet=True, observers=observers,
                             metrics={"GFLOPS/W": lambda p: (N / 1e9) / p["nvml_energy"]})
    assert all(15 < one["temperature"] < 110 and one["core_freq"] > 100 and one["mem_freq"] > 100 for one in results), results
    assert all(one["nvml_energy"] > 0 and one["GFLOPS/W"] > 0 for one in results), results


def test_a_python_kernel_is_a_function_of_arrays() -> None:
    arguments = data()
    add = PythonKernel("add", RIGHT, N, arguments, {"block_size_x": 128}, inputs=[False, True, True, True],
                       outputs=[True, False, False, False])
    assert numpy.allclose(add(*arguments)[0], arguments[1] + arguments[2])
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError:
        return
    c, a, b = (cupy.asarray(one) for one in arguments[:3])
    on_device = PythonKernel("add", RIGHT, N, [c, a, b, arguments[3]], {"block_size_x": 128}, lang="cupy")
    assert on_device(c, a, b, arguments[3]) == []
    assert cupy.allclose(c, a + b)


def test_wrong_results_and_sources_are_errors_of_their_configurations() -> None:
    arguments = data()
    wrong = RIGHT.replace("a[i] + b[i]", "a[i] + (block_size_x > 128 ? 0 : b[i])")
    results, _ = tune_kernel("add", wrong, N, arguments, PARAMETERS, answer=[arguments[1] + arguments[2], None, None, None], quiet=True)
    assert {one["block_size_x"]: repr(one.get("__error__")) for one in results} == {
        64: "None", 128: "None", 256: "RuntimeFailedConfig", 512: "RuntimeFailedConfig"}
    broken = ADD.replace("BROKEN", "+ (block_size_x > 128 ? 0 : 0) SIGN").replace("SIGN", "\n#if block_size_x > 128\n#error wide\n#endif\n")
    results, _ = tune_kernel("add", broken, N, arguments, PARAMETERS, quiet=True)
    assert {repr(one.get("__error__")) for one in results if one["block_size_x"] > 128} == {"CompilationFailedConfig"}


def test_a_function_verifies() -> None:
    arguments, asked = data(), []

    def verify(answer: list[Any], found: list[Any], atol: float) -> bool:
        asked.append(atol)
        return numpy.allclose(answer[0], found[0], atol=atol)
    results, _ = tune_kernel("add", RIGHT, N, arguments, PARAMETERS, answer=[arguments[1] + arguments[2], None, None, None],
                             verify=verify, atol=1e-3, quiet=True)
    assert asked and set(asked) == {1e-3} and all("time" in one for one in results)
    try:
        results, _ = tune_kernel("add", RIGHT, N, arguments, PARAMETERS, answer=[arguments[1], None, None, None],
                                 verify=lambda answer, found: False, quiet=True)
        assert all(repr(one["__error__"]) == "RuntimeFailedConfig" for one in results)
    except warptune.WorkError:
        raise AssertionError("failed configurations are results") from None


def test_one_configuration_runs_and_gives_its_outputs() -> None:
    arguments = data()
    outputs = run_kernel("add", RIGHT, N, arguments, {"block_size_x": 128})
    assert numpy.allclose(outputs[0], arguments[1] + arguments[2]) and outputs[3] == N
    assert (outputs[1] == arguments[1]).all()


def test_arrays_of_cupy_and_pytorch_are_taken() -> None:
    for library in ("cupy", "torch"):
        try:
            module = importlib.import_module(library)
        except ImportError:
            print(f"SKIPPED {library} is not installed")
            continue
        made = [module.asarray(one) for one in data()[:3]]
        made = [one.cuda() for one in made] if library == "torch" else made
        answer = [made[1] + made[2], None, None, None]
        results, _ = tune_kernel("add", RIGHT, N, [*made, numpy.int32(N)], PARAMETERS, answer=answer, quiet=True)
        assert all("time" in one for one in results), (library, results)


def test_templates_constants_generated_sources_and_shared_memory_work() -> None:
    source = """__constant__ float weights[3];
template <typename T, int TILE> __global__ void blend(T* c, const T* a, int n) {
  extern __shared__ T held[];
  const int i = blockIdx.x * block_size_x + threadIdx.x;
  held[threadIdx.x] = i < n ? a[i] : T(0);
  __syncthreads();
  if (i < n) c[i] = held[threadIdx.x] * weights[2] + TILE + grid_size_x * 0;
}
"""
    a = numpy.arange(1000, dtype=numpy.float32)
    arguments, weights = [numpy.zeros_like(a), a, numpy.int32(1000)], numpy.array([1, 2, 3], dtype=numpy.float32)
    found = run_kernel("blend<float, tile>", source, 1000, arguments, {"block_size_x": 64, "tile": 2}, cmem_args={"weights": weights},
                       smem_args={"size": "4 * block_size_x"})
    assert numpy.allclose(found[0], 3 * a + 2)

    def written(p: dict[str, Any]) -> str:
        return RIGHT if p["block_size_x"] < 256 else RIGHT.replace("a[i] + b[i]", "b[i] + a[i]")
    vectors = data()
    results, _ = tune_kernel("add", written, N, vectors, PARAMETERS, answer=[vectors[1] + vectors[2], None, None, None], quiet=True)
    assert len(results) == 4 and all("time" in one for one in results)


def test_a_cache_file_continues_a_call() -> None:
    path = Path(tempfile.mkdtemp(prefix="warptune-test-")) / "add.json"
    arguments = data()
    first, _ = tune_kernel("add", RIGHT, N, arguments, PARAMETERS, cache=path, quiet=True, restrictions=["block_size_x <= 128"])
    both, _ = tune_kernel("add", RIGHT, N, arguments, PARAMETERS, cache=path, quiet=True)
    times = {one["block_size_x"]: one["time"] for one in both}
    assert len(first) == 2 and len(both) == 4 and all(times[one["block_size_x"]] == one["time"] for one in first)
    again, _ = tune_kernel("add", RIGHT, N, [], PARAMETERS, cache=path, quiet=True, simulation_mode=True)
    assert {one["block_size_x"]: one["time"] for one in again} == times


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"passed: {name}", flush=True)
