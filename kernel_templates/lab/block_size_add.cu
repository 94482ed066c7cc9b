/* warptune
[kernel]
name = "block_size_add"
description = "c = a + b, one element per thread"
about = """\
  This is the vector addition with which every course begins. Each thread adds one element, and device memory is the \
  limit. BLOCK is the only parameter."""
entry = "block_size_add"

[problem]
N = { value = 16777216, description = "elements" }

[parameters]
BLOCK = { values = [32, 64, 128, 256, 512, 1024], description = "threads per block" }

[default]
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
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

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

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

__global__ void block_size_add(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) c[i] = a[i] + b[i];
}
