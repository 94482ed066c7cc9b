/* warptune
[kernel]
name = "host_allocation"
description = "steps that each need a temporary buffer, which the host allocates once, in each step, or from a pool"
entry = "host_allocation"
about = """
Each of STEPS steps applies a random number generator ROUNDS times to each of N numbers. With METHOD = "each_step", the
host also allocates BYTES bytes of the GPU's memory before each step and frees them (cudaMalloc, cudaFree). With "pool",
it takes them from the GPU's memory pool (cudaMallocAsync, cudaFreeAsync). With "once", it allocates nothing. No kernel
uses this memory, so the kernels are the same with every METHOD.

With WAIT = "each_step", the host waits for each step. With "end", it waits only after the last.
"""

[problem]
N = { value = 4194304, description = "numbers" }
STEPS = { value = 200, description = "steps" }
ROUNDS = { value = 1, description = "rounds of the generator in a step" }
BYTES = { value = 67108864, description = "bytes that a step allocates" }

[parameters]
METHOD = { values = ["once", "each_step", "pool"], description = "where the buffer of a step comes from" }
WAIT = { values = ["end", "each_step"], description = "when the host waits for the GPU" }

[default]
METHOD = "once"
WAIT = "end"

[host]
[[host.loop]]
times = "STEPS"
[[host.loop.step]]
allocate = "BYTES"
pool = 'METHOD == "pool"'
when = 'METHOD != "once"'
[[host.loop.step]]
launch = "host_allocation"
grid = ["ceil_div(N, 256)"]
block = ["256"]
arguments = ["numbers", "rounds", "n"]
[[host.loop.step]]
synchronise = true
when = 'WAIT == "each_step"'

[[argument]]
name = "numbers"
kind = "inout"
type = "u32"
count = "N"
[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"
[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "host_allocation_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
bytes = "8 * N * STEPS"
*/

// The generator of Numerical Recipes.
__device__ __forceinline__ unsigned drawn(unsigned number, int rounds) {
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) number = number * 1664525u + 1013904223u;
  return number;
}

extern "C" __global__ void __launch_bounds__(256) host_allocation(unsigned* numbers, int rounds, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) numbers[i] = drawn(numbers[i], rounds);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void host_allocation_reference(unsigned* numbers, int rounds, int steps, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  for (int step = 0; step < steps; ++step) numbers[i] = drawn(numbers[i], rounds);
}
#endif
