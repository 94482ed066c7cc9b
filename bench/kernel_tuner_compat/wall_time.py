#!/usr/bin/env python3
"""Compares how long Kernel Tuner and warptune need until they know a configuration within 2 % of the best.

    bench/kernel_tuner_compat/wall_time.py [--rounds N] [--strategy NAME] [--size N]

Both get the same call: a matrix product whose parameters are block_size_x and block_size_y, tile_size_x and tile_size_y. Kernel
Tuner measures all configurations once, and these times say what is within 2 % of the best. Then each tuner runs N times. The time
counts from the call to the moment at which its results have such a configuration. Prints the medians with the lowest and the highest
value of the rounds, the ratio, and how long whole calls took. Needs a GPU, NumPy, CuPy, kernel_tuner, and the package warptune.
"""

import argparse
import datetime
import os
import statistics
import tempfile
import time

import numpy

SOURCE = """extern "C" __global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float rows[block_size_y * tile_size_y][block_size_x];
  __shared__ float columns[block_size_x][block_size_x * tile_size_x];
  const int x0 = blockIdx.x * block_size_x * tile_size_x + threadIdx.x;
  const int y0 = blockIdx.y * block_size_y * tile_size_y + threadIdx.y;
  float sum[tile_size_y][tile_size_x] = {};
  for (int k = 0; k < n; k += block_size_x) {
    for (int j = 0; j < tile_size_y; ++j) {
      const int y = threadIdx.y + j * block_size_y;
      rows[y][threadIdx.x] = a[(y0 + j * block_size_y) * n + k + threadIdx.x];
      for (int i = 0; i < tile_size_x; ++i) {
        const int x = threadIdx.x + i * block_size_x;
        columns[y][x] = b[(k + y) * n + x0 + i * block_size_x];
      }
    }
    __syncthreads();
    for (int l = 0; l < block_size_x; ++l) {
      for (int j = 0; j < tile_size_y; ++j) {
        for (int i = 0; i < tile_size_x; ++i)
          sum[j][i] += rows[threadIdx.y + j * block_size_y][l] * columns[l][threadIdx.x + i * block_size_x];
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < tile_size_y; ++j) {
    for (int i = 0; i < tile_size_x; ++i) c[(y0 + j * block_size_y) * n + x0 + i * block_size_x] = sum[j][i];
  }
}
"""
PARAMETERS = {"block_size_x": [16, 32, 64], "block_size_y": [1, 2, 4, 8, 16, 32], "tile_size_x": [1, 2, 4, 8], "tile_size_y": [1, 2, 4, 8]}
CLOSE = 1.02


def call(tuner, size, strategy=None):
    """The results of one call, the time of day at its beginning, and its seconds."""
    source = numpy.random.default_rng(1)
    a, b = (source.random((size, size), dtype=numpy.float32) for _ in range(2))
    began, start = time.time(), time.perf_counter()
    results, _ = tuner.tune_kernel(
        "product", SOURCE, (size, size), [numpy.zeros_like(a), a, b, numpy.int32(size)], PARAMETERS, lang="CuPy",
        grid_div_x=["block_size_x", "tile_size_x"], grid_div_y=["block_size_y", "tile_size_y"],
        restrictions=["block_size_x == block_size_y * tile_size_y"], answer=[a @ b, None, None, None], atol=1e-1, quiet=True,
        strategy=strategy)
    return results, began, time.perf_counter() - start


def key(result):
    return tuple(result[name] for name in PARAMETERS)


def seconds_until(results, began, close):
    """Seconds from the call to the first result that is close to the best. The whole call if there is none."""
    moments = [datetime.datetime.fromisoformat(one["timestamp"]).timestamp() for one in results if key(one) in close]
    return min(moments) - began if moments else float("inf")


def shown(values):
    return f"{statistics.median(values):8.2f} s ({min(values):.2f} to {max(values):.2f})"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--size", type=int, default=4096, help="the matrices' rows")
    options.add_argument("--strategy", help="by default brute force")
    choice = options.parse_args()
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="warptune-bench-")

    import kernel_tuner

    from warptune.compat import kernel_tuner as compatible
    times = {key(one): one["time"] for one in call(kernel_tuner, choice.size)[0] if isinstance(one.get("time"), float)}
    best = min(times.values())
    close = {held for held, one in times.items() if one <= CLOSE * best}
    print(f"{len(times)} configurations; the best takes {best:.3f} ms; {len(close)} are within {CLOSE - 1:.0%} of it")
    found, whole = {}, {}
    for name, tuner in (("Kernel Tuner", kernel_tuner), ("warptune", compatible)):
        rounds = [call(tuner, choice.size, choice.strategy) for _ in range(choice.rounds)]
        found[name] = [seconds_until(results, began, close) for results, began, _ in rounds]
        whole[name] = [seconds for _, _, seconds in rounds]
        chosen = [times.get(key(min((one for one in results if "time" in one), key=lambda one: one["time"])), float("inf")) / best
                  for results, _, _ in rounds]
        print(f"{name:13} within 2 % after {shown(found[name])}, whole call {shown(whole[name])}, its best takes "
              f"{max(chosen):.3f} times the best")
    for title, values in (("within 2 %", found), ("whole call", whole)):
        print(f"{title}: warptune / Kernel Tuner = "
              f"{statistics.median(values['warptune']) / statistics.median(values['Kernel Tuner']):.3f}")


if __name__ == "__main__":
    main()
