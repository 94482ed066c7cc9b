/* warptune
[kernel]
name = "launches"
description = "ways to launch many small kernels, each of which needs what the one before wrote"
entry = "launches_step"
about = """
The kernel computes STEPS steps of diffusion on a ring of N cells. Each step needs everything that the one before wrote.
So steps follow one another with every METHOD. METHOD says what launches the steps:

- `waits`: each step is a launch, and the host waits for each.
- `stream`: each step is a launch on one stream, and the host waits once.
- `graph`: the same launches are captured once as a CUDA graph, which is launched as a whole.
- `persistent`: one cooperative kernel does all steps. After each step, its blocks wait at a barrier of the whole grid.
"""
defines = { PERSISTENT = 'METHOD == "persistent"', PARENT = "false" }

[problem]
N = { value = 16384, description = "cells of the ring" }
STEPS = { value = 1000, description = "steps, an even number" }

[parameters]
METHOD = { values = ["waits", "stream", "graph", "persistent"], description = "what launches the steps" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
METHOD = "stream"
BLOCK = 256

[host]
graph = 'METHOD == "graph"'
[[host.loop]]
times = "STEPS / 2"
when = 'METHOD != "persistent"'
[[host.loop.step]]
launch = "launches_step"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["a", "b", "n"]
[[host.loop.step]]
synchronise = true
when = 'METHOD == "waits"'
[[host.loop.step]]
launch = "launches_step"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["b", "a", "n"]
[[host.loop.step]]
synchronise = true
when = 'METHOD == "waits"'
[[host.loop]]
when = 'METHOD == "persistent"'
[[host.loop.step]]
launch = "launches_persistent"
grid = ["min(ceil_div(N, BLOCK), device_sm_count * (1024 / BLOCK))"]
block = ["BLOCK"]
cooperative = true

[[argument]]
name = "a"
kind = "inout"
type = "f32"
count = "N"
[[argument]]
name = "b"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
[[argument]]
name = "steps"
kind = "scalar"
type = "i64"
value = "STEPS"

# All methods do the same operations in the same order.
[check]
reference = "entry"
entry = "launches_reference"
grid = ["1"]
block = ["1024"]
absolute = 0.0
relative = 0.0

[work]
flops = "5 * N * STEPS"
*/

// A quarter of each neighbour and half of itself.
__device__ void diffuse(const float* from, float* to, long long n, long long i) {
  const float left = from[i == 0 ? n - 1 : i - 1];
  const float right = from[i == n - 1 ? 0 : i + 1];
  to[i] = fmaf(0.25f, left, fmaf(0.25f, right, 0.5f * from[i]));
}

extern "C" __global__ void __launch_bounds__(BLOCK) launches_step(const float* from, float* to, long long n) {
  const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) diffuse(from, to, n, i);
}

#if PERSISTENT
#include <cooperative_groups.h>

extern "C" __global__ void __launch_bounds__(BLOCK)
    launches_persistent(float* a, float* b, long long n, long long steps) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (long long step = 0; step < steps; ++step) {
    for (long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; i < n; i += gridDim.x * (long long)BLOCK)
      diffuse(a, b, n, i);
    grid.sync();
    float* const written = b;
    b = a;
    a = written;
  }
}
#endif

#if PARENT
// Kernels that one thread launches one after another run one after another, like those of a host's stream.
extern "C" __global__ void launches_parent(float* a, float* b, long long n, long long steps) {
  const unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
  for (long long step = 0; step < steps; step += 2) {
    launches_step<<<blocks, BLOCK>>>(a, b, n);
    launches_step<<<blocks, BLOCK>>>(b, a, n);
  }
}

// Each kernel launches the next when it has ended itself.
extern "C" __global__ void __launch_bounds__(BLOCK)
    launches_tail(float* a, float* b, long long n, long long steps) {
  const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) diffuse(a, b, n, i);
  if (i == 0 && steps > 1) launches_tail<<<gridDim.x, BLOCK, 0, cudaStreamTailLaunch>>>(b, a, n, steps - 1);
}
#endif

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void launches_reference(float* a, float* b, long long n, long long steps) {
  for (long long step = 0; step < steps; ++step) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) diffuse(a, b, n, i);
    __syncthreads();
    float* const written = b;
    b = a;
    a = written;
  }
}
#endif
