#!/usr/bin/env python3
"""Compares how long Kernel Tuner and warptune need until they know a configuration within 2 % of the best.

    bench/kernel_tuner_compat/wall_time.py [--rounds N] [--strategy NAME...] [--size N] [--seconds S]

Both get the same calls: a matrix product with some thousand configurations, in a random order and by the genetic strategy. The random
order stands for brute force, Kernel Tuner's default, which takes no limit of time. Each tuner runs N times with each strategy, in
turn, and ends after S seconds. Then Kernel Tuner measures the fastest configurations of every call once more, and these times say
which is the best and what is within 2 % of it. The time counts from the call to the moment at which its results have such a
configuration; a call that finds none counts as infinite. Prints the medians with the lowest and the highest value of the rounds, the
ratios, and how long whole calls took. Where Kernel Tuner's median is infinite, the length of its shortest call gives an upper bound of
the ratio, printed with `<`. The ratio over all strategies takes each tuner's faster one. Needs a GPU, NumPy, CuPy, kernel_tuner, and
the package warptune.
"""

import argparse
import datetime
import math
import os
import statistics
import tempfile
import time

import numpy

SOURCE = """extern "C" __global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float rows[block_size_y * tile_size_y][block_size_x + row_padding];
  __shared__ float columns[block_size_x][block_size_x * tile_size_x + row_padding];
  const int x0 = blockIdx.x * block_size_x * tile_size_x;
  const int y0 = blockIdx.y * block_size_y * tile_size_y;
  float sum[tile_size_y][tile_size_x] = {};
  for (int k = 0; k < n; k += block_size_x) {
    for (int j = 0; j < tile_size_y; ++j) {
      const int y = threadIdx.y + j * block_size_y;
      rows[y][threadIdx.x] = LOAD(a + (y0 + y) * n + k + threadIdx.x);
      for (int i = 0; i < tile_size_x / vector_width; ++i) {
        const int x = (threadIdx.x + i * block_size_x) * vector_width;
        const Vector loaded = LOAD((const Vector*)(b + (k + y) * n + x0 + x));
        for (int v = 0; v < vector_width; ++v) columns[y][x + v] = ((const float*)&loaded)[v];
      }
    }
    __syncthreads();
#pragma unroll unroll_inner
    for (int l = 0; l < block_size_x; ++l) {
      for (int j = 0; j < tile_size_y; ++j) {
        for (int i = 0; i < tile_size_x; ++i)
          sum[j][i] += rows[threadIdx.y + j * block_size_y][l] * columns[l][threadIdx.x + i * block_size_x];
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < tile_size_y; ++j) {
    for (int i = 0; i < tile_size_x; ++i)
      c[(y0 + threadIdx.y + j * block_size_y) * n + x0 + threadIdx.x + i * block_size_x] = sum[j][i];
  }
}
"""
HEAD = """#if vector_width == 1
typedef float Vector;
#elif vector_width == 2
typedef float2 Vector;
#else
typedef float4 Vector;
#endif
#if use_ldg == 1
#define LOAD(from) __ldg(from)
#else
#define LOAD(from) *(from)
#endif
"""
PARAMETERS = {"block_size_x": [16, 32, 64], "block_size_y": [1, 2, 4, 8, 16, 32], "tile_size_x": [1, 2, 4, 8],
              "tile_size_y": [1, 2, 4, 8, 16], "vector_width": [1, 2, 4], "unroll_inner": [1, 2, 4, 8], "row_padding": [0, 1, 4],
              "use_ldg": [0, 1]}
RESTRICTIONS = ["block_size_x == block_size_y * tile_size_y", "block_size_x * block_size_y <= 1024", "tile_size_x % vector_width == 0",
                "block_size_x * (block_size_x + row_padding) + block_size_x * (block_size_x * tile_size_x + row_padding) <= 12288"]
CLOSE = 1.02
COMPARED = 10
"""How many of a call's fastest configurations are measured again."""


def call(tuner, size, strategy, seconds, chosen=None):
    """The results of one call, the time of day at its beginning, and its seconds. `chosen` are the only configurations."""
    source = numpy.random.default_rng(1)
    a, b = (source.random((size, size), dtype=numpy.float32) for _ in range(2))
    began, start = time.time(), time.perf_counter()
    restrictions = RESTRICTIONS if chosen is None else [f"({', '.join(PARAMETERS)}) in {sorted(chosen)}"]
    results, _ = tuner.tune_kernel(
        "product", HEAD + SOURCE, (size, size), [numpy.zeros_like(a), a, b, numpy.int32(size)], PARAMETERS, lang="CuPy",
        grid_div_x=["block_size_x", "tile_size_x"], grid_div_y=["block_size_y", "tile_size_y"], restrictions=restrictions,
        answer=[a @ b, None, None, None], atol=1e-1, quiet=True, strategy=strategy,
        strategy_options=None if seconds is None else {"time_limit": seconds, "max_fevals": math.prod(map(len, PARAMETERS.values()))})
    return results, began, time.perf_counter() - start


def key(result):
    return tuple(result[name] for name in PARAMETERS)


def fastest(results):
    """The results with a time, fastest first."""
    return sorted((one for one in results if isinstance(one.get("time"), float)), key=lambda one: one["time"])


def seconds_until(results, began, close):
    """Seconds from the call to the first result that is close to the best."""
    moments = [datetime.datetime.fromisoformat(one["timestamp"]).timestamp() for one in results if key(one) in close]
    return min(moments) - began if moments else float("inf")


def shown(values):
    return f"{statistics.median(values):8.2f} s ({min(values):.2f} to {max(values):.2f})"


def ratio(mine, theirs, least):
    """The ratio of both medians. `least` are the seconds that Kernel Tuner searched at least: they bound an infinite median."""
    return f"warptune / Kernel Tuner {'<' if math.isinf(theirs) else '='} {mine / (least if math.isinf(theirs) else theirs):.3f}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--size", type=int, default=4096, help="the matrices' rows: a multiple of 512")
    options.add_argument("--strategy", nargs="+", default=["random_sample", "genetic_algorithm"])
    options.add_argument("--seconds", type=float, default=120, help="the limit of each call")
    choice = options.parse_args()
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="warptune-bench-")

    import kernel_tuner

    from warptune.compat import kernel_tuner as compatible
    smallest = (16, 16, 1, 1, 1, 1, 0, 0)
    for tuner in (kernel_tuner, compatible):  # A first call loads the libraries and wakes the GPU.
        call(tuner, choice.size, "brute_force", None, {smallest})
    calls = {}
    for number in range(choice.rounds):
        for strategy in choice.strategy:
            pair = [("Kernel Tuner", kernel_tuner), ("warptune", compatible)]
            for name, tuner in pair if number % 2 == 0 else pair[::-1]:
                calls.setdefault((strategy, name), []).append(call(tuner, choice.size, strategy, choice.seconds))
    chosen = {key(one) for rounds in calls.values() for results, _, _ in rounds for one in fastest(results)[:COMPARED]}
    times = {key(one): one["time"] for one in fastest(call(kernel_tuner, choice.size, "brute_force", None, chosen)[0])}
    best = min(times.values())
    close = {held for held, one in times.items() if one <= CLOSE * best}
    print(f"{len(times)} configurations were measured again; the best takes {best:.3f} ms; {len(close)} are within {CLOSE - 1:.0%} of it")
    found, whole = {}, {}
    for (strategy, name), rounds in calls.items():
        found[strategy, name] = [seconds_until(results, began, close) for results, began, _ in rounds]
        whole[strategy, name] = [seconds for _, _, seconds in rounds]
        winners = [times.get(key(fastest(results)[0]), math.inf) / best if fastest(results) else math.inf for results, _, _ in rounds]
        counts = [len(results) for results, _, _ in rounds]
        print(f"{strategy:18} {name:13} within 2 % after {shown(found[strategy, name])}, whole call {shown(whole[strategy, name])}, "
              f"{min(counts)} to {max(counts)} configurations, its best takes at most {max(winners):.3f} times the best")
    for title, values in (("within 2 %", found), ("whole call", whole)):
        medians = {held: statistics.median(one) for held, one in values.items()}
        for strategy in choice.strategy:
            least = min(whole[strategy, "Kernel Tuner"])
            print(f"{title}, {strategy}: {ratio(medians[strategy, 'warptune'], medians[strategy, 'Kernel Tuner'], least)}")
        faster = {name: min(medians[strategy, name] for strategy in choice.strategy) for name in ("warptune", "Kernel Tuner")}
        least = min(min(whole[strategy, "Kernel Tuner"]) for strategy in choice.strategy)
        print(f"{title}: {ratio(faster['warptune'], faster['Kernel Tuner'], least)}")


if __name__ == "__main__":
    main()
