/* warptune
[kernel]
name = "divergence_data"
description = "a long branch that one of ONE_IN elements takes, depending on its value"
about = """
An element whose key is below 1 / ONE_IN goes through LENGTH multiply-adds. Any other element is copied. Keys are random
or sorted (SORTED). The same share of the elements takes the branch in both cases. In random order, nearly every warp
has some of them and waits for them. In sorted order, whole warps take the branch or skip it.
"""
entry = "divergence_data"
defines = { ROUNDS = "LENGTH" }

[problem]
N = { value = 4194304, description = "elements, a multiple of 1024" }
LENGTH = { value = 2048, description = "multiply-adds of an element that takes the branch, a multiple of 64" }
ONE_IN = { value = 2, description = "one of so many elements takes the branch" }
SORTED = { value = 0, description = "1: keys ascend; 0: they are random" }

[parameters]
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
BLOCK = 256

[launch]
grid = ["N / BLOCK"]
block = ["BLOCK"]

[[argument]]
name = "key"
kind = "in"
type = "f32"
count = "N"
init = { kind = "expression", value = "SORTED == 1 ? (i + 0.5) / N : u", seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "share"
kind = "scalar"
type = "f32"
value = "1.0 / ONE_IN"

# Both sides round the same fused operations in the same order.
[check]
reference = "entry"
entry = "divergence_data_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * LENGTH * N / ONE_IN"
bytes = "8 * N"
*/

__global__ void __launch_bounds__(BLOCK)
    divergence_data(const float* __restrict__ key, float* __restrict__ out, float share) {
  const int element = static_cast<int>(blockIdx.x * BLOCK + threadIdx.x);
  float x = key[element];
  if (x < share) {
#pragma unroll 64
    for (int i = 0; i < ROUNDS; ++i) x = fmaf(x, -0.998f, 0.5f);
  }
  out[element] = x;
}

#ifdef WARPTUNE_REFERENCE
__global__ void divergence_data_reference(const float* key, float* out, float share) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const bool taken = key[i] < share;
  float x = key[i];
  for (int round = 0; round < ROUNDS; ++round) x = taken ? fmaf(x, -0.998f, 0.5f) : x;
  out[i] = x;
}
#endif
