/* warptune
[kernel]
name = "coarsening_add"
description = "c = a + b, ITEMS elements per thread"
about = """\
  Vector addition in which a thread takes ITEMS elements, BLOCK apart, so that loads stay coalesced. Threads share \
  nothing. Coarsened threads only save the work of starting threads and blocks."""
entry = "coarsening_add"

[problem]
N = { value = 16777216, description = "elements, a multiple of 8192" }

[parameters]
ITEMS = { values = [1, 2, 4, 8], description = "elements that a thread adds" }
BLOCK = { values = [128, 256, 512, 1024], description = "threads per block" }

[default]
ITEMS = 1
BLOCK = 256

[launch]
grid = ["N / (ITEMS * BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "N"

# One addition, rounded once on both sides.
[check]
reference = "expression"
expression = "a[i] + b[i]"
absolute = 0.0
relative = 0.0

[work]
flops = "N"
bytes = "12 * N"
*/

__global__ void __launch_bounds__(BLOCK)
    coarsening_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  const int first = static_cast<int>(blockIdx.x * (ITEMS * BLOCK) + threadIdx.x);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) c[first + k * BLOCK] = a[first + k * BLOCK] + b[first + k * BLOCK];
}
