/* warptune
[kernel]
name = "ping_pong"
description = "steps of diffusion whose intermediate results stay on the GPU, are copied there, or visit the host"
entry = "ping_pong_step"
about = """
Each of STEPS steps of diffusion on a ring needs what the step before wrote. The kernel reads one buffer and writes
another. With METHOD = "swapped", the two buffers change places after each step. With "copied", the result is copied
back to the first buffer on the GPU. With "host", it is copied to the host's memory and from there to the first buffer.
"""

[problem]
N = { value = 16777216, description = "cells of the ring" }
STEPS = { value = 8, description = "steps, an even number" }

[parameters]
METHOD = { values = ["swapped", "copied", "host"], description = "how the next step gets the result of a step" }
MEMORY = { values = ["pinned", "pageable"], when = 'METHOD == "host"', description = "the host's memory" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
METHOD = "swapped"
MEMORY = "pinned"
BLOCK = 256

[host]
[[host.loop]]
times = "STEPS / 2"
when = 'METHOD == "swapped"'
[[host.loop.step]]
launch = "ping_pong_step"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["a", "b", "n"]
[[host.loop.step]]
launch = "ping_pong_step"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["b", "a", "n"]
[[host.loop]]
times = "STEPS"
when = 'METHOD != "swapped"'
[[host.loop.step]]
launch = "ping_pong_step"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["a", "b", "n"]
[[host.loop.step]]
copy = { from = "b", to = "a" }
when = 'METHOD == "copied"'
[[host.loop.step]]
copy = { from = "b", to = "on_host" }
when = 'METHOD == "host"'
[[host.loop.step]]
copy = { from = "on_host", to = "a" }
when = 'METHOD == "host"'

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
name = "on_host"
kind = "scratch"
type = "f32"
count = 'METHOD == "host" ? N : 1'
memory = "MEMORY"
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
entry = "ping_pong_reference"
grid = ["1"]
block = ["1024"]
absolute = 0.0
relative = 0.0

[work]
flops = "5 * N * STEPS"
*/

// A quarter of each neighbour and half of itself.
__device__ float diffused(float left, float middle, float right) {
  return fmaf(0.25f, left, fmaf(0.25f, right, 0.5f * middle));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    ping_pong_step(const float* __restrict__ from, float* __restrict__ to, long long n) {
  const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) to[i] = diffused(from[i == 0 ? n - 1 : i - 1], from[i], from[i == n - 1 ? 0 : i + 1]);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void ping_pong_reference(float* a, float* b, const float*, long long n,
                                               long long steps) {
  for (long long step = 0; step < steps; ++step) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
      b[i] = diffused(a[i == 0 ? n - 1 : i - 1], a[i], a[i == n - 1 ? 0 : i + 1]);
    __syncthreads();
    float* const written = b;
    b = a;
    a = written;
  }
}
#endif
