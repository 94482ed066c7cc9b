#!/usr/bin/env python3
"""Measures what a call of a loaded kernel costs the host, compared with CuPy's RawKernel with the same kernel and the same memory.

    bench/python/calls.py [--rounds N] [--calls N]

Each round times CALLS calls of each form, one form after the other, and waits for the GPU between them. The kernel has 256
threads, so that the host takes most of the time. Prints the median time of a call with the quartiles of the rounds, and the median of
the rounds' ratios to RawKernel. Needs a GPU, PyTorch and CuPy.
"""

import argparse
import os
import statistics
import tempfile
import time

os.environ.setdefault("XDG_DATA_HOME", tempfile.mkdtemp(prefix="warptune-bench-"))

import cupy
import numpy
import torch

import warptune

N = 256
SOURCE = """
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  const int at = blockIdx.x * BLOCK + threadIdx.x;
  if (at < n) y[at] += a * x[at];
}
"""


def loaded_kernel():
    kernel = warptune.Kernel(
        name="python_calls_saxpy", source=SOURCE, entry="saxpy", problem={"N": N}, parameters={"BLOCK": [128, 256]},
        default={"BLOCK": 256}, launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        arguments=[{"name": "x", "kind": "in", "type": "f32", "count": "N"}, {"name": "y", "kind": "inout", "type": "f32", "count": "N"},
                   {"name": "a", "kind": "scalar", "type": "f32", "value": "2.0"},
                   {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        check={"reference": "expression", "expression": "y[i] + 2.0f * x[i]"}, work={"bytes": "12 * N"})
    kernel.tune(budget="all", metrics="none")
    return kernel.load()


def forms():
    fn = loaded_kernel()
    tensors = torch.ones(N, device="cuda"), torch.ones(N, device="cuda")
    arrays = tuple(cupy.from_dlpack(one) for one in tensors)
    block = fn.configuration["BLOCK"]
    raw = cupy.RawKernel(SOURCE, "saxpy", options=(f"-DBLOCK={block}",))
    grid, threads = ((N + block - 1) // block,), (block,)
    a, n = numpy.float32(2.0), numpy.int32(N)
    side = torch.cuda.Stream()
    return {
        "CuPy RawKernel": lambda: raw(grid, threads, (*arrays, a, n)),
        "fn(tensors)": lambda: fn(*tensors),
        "fn(tensors, scalars)": lambda: fn(*tensors, 2.0, N),
        "fn(tensors, stream=)": lambda: fn(*tensors, stream=side.cuda_stream),
        "fn(arrays)": lambda: fn(*arrays),
        "fn(arrays, scalars)": lambda: fn(*arrays, 2.0, N),
        "an empty Python call": lambda: None,
    }


def time_of(call, calls):
    """Nanoseconds of one call."""
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    end = time.perf_counter_ns()
    torch.cuda.synchronize()
    return (end - start) / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--calls", type=int, default=200)
    arguments = parser.parse_args()
    measured = forms()
    for call in measured.values():  # First calls compile, allocate and look names up.
        time_of(call, arguments.calls)
    times = {name: [] for name in measured}
    for _ in range(arguments.rounds):
        for name, call in measured.items():
            times[name].append(time_of(call, arguments.calls))
    base = times["CuPy RawKernel"]
    print(f"{'form':24} {'median':>9} {'quartiles':>19} {'over RawKernel':>15}")
    for name, values in times.items():
        low, median, high = statistics.quantiles(values, n=4)
        ratio = statistics.median(value / other for value, other in zip(values, base, strict=True))
        print(f"{name:24} {median / 1e3:6.2f} us {low / 1e3:8.2f} to {high / 1e3:5.2f} us {ratio:14.2f}x")


if __name__ == "__main__":
    main()
