/* warptune
[kernel]
name = "divergence_short"
description = "a branch of a few instructions on the parity of the element"
about = """
The two sides of the branch are two and four operations. For such short sides the compiler makes no jump: it gives the
instructions of both sides a predicate. Each warp issues all of these instructions, and for each thread those of one
side are switched off.
"""
entry = "divergence_short"

[problem]
N = { value = 33554432, description = "elements, a multiple of 2048" }

[parameters]
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
BLOCK = 256

[launch]
grid = ["N / (4 * BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

# Results are at most 16. The odd side rounds twice before it takes the cube, which triples these errors. It rounds
# twice for the cube. The error is at most 8 x 2^-24 of 16.
[check]
reference = "entry"
entry = "divergence_short_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 8e-6
relative = 0.0

[work]
flops = "4 * N"
bytes = "8 * N"
*/

__device__ __forceinline__ float result_of(float x, int element) {
  if (element % 2 == 0) {
    x = fmaf(x, 3.0f, 1.0f);
    x = x * x;
  } else {
    x = fmaf(x, 2.0f, -1.0f);
    x = x + 0.5f;
    x = x * x * x;
  }
  return x;
}

// Four elements a thread, so that device memory is kept busy.
__global__ void __launch_bounds__(BLOCK)
    divergence_short(const float* __restrict__ in, float* __restrict__ out) {
  const int first = static_cast<int>(blockIdx.x * (4 * BLOCK) + threadIdx.x);
  float x[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) x[k] = in[first + k * BLOCK];
#pragma unroll
  for (int k = 0; k < 4; ++k) out[first + k * BLOCK] = result_of(x[k], first + k * BLOCK);
}

#ifdef WARPTUNE_REFERENCE
__global__ void divergence_short_reference(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const double x = in[i];
  const double even = 3.0 * x + 1.0;
  const double odd = 2.0 * x - 0.5;
  out[i] = static_cast<float>(i % 2 == 0 ? even * even : odd * odd * odd);
}
#endif
