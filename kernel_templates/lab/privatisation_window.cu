/* warptune
[kernel]
name = "privatisation_window"
description = "out[i] = in[i] + ... + in[i + WIDTH - 1]: windows read from shared memory or through L1"
about = """
A thread computes OUTPUTS outputs, 256 apart. Each output is the sum of WIDTH elements, beginning with the element of
its own index. With SOURCE = shared, the block first copies its elements and the WIDTH - 1 following ones to shared
memory, and waits at a barrier. With SOURCE = cache, every thread reads global memory, where L1 holds what neighbours
have read.
"""
entry = "privatisation_window"
defines = { COUNT = "WIDTH", IN_SHARED = 'SOURCE == "shared"' }

[problem]
N = { value = 16777216, description = "outputs, a multiple of 1024" }
WIDTH = { value = 9, description = "elements of a window, at most 257" }

[parameters]
SOURCE = { values = ["cache", "shared"], description = "where windows are read from" }
OUTPUTS = { values = [1, 4], description = "outputs per thread" }

[default]
SOURCE = "cache"
OUTPUTS = 4

[launch]
grid = ["N / (256 * OUTPUTS)"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N + WIDTH - 1"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

# With u = 2^-24, there are WIDTH additions. Each is rounded by at most u times a sum that is at most WIDTH. The
# reference adds in double precision.
[check]
reference = "entry"
entry = "privatisation_window_reference"
grid = ["N / 256"]
block = ["256"]
absolute = "6e-8 * WIDTH * WIDTH"
relative = 0.0

[work]
flops = "WIDTH * N"
bytes = "8 * N"
*/

constexpr int kTile = 256 * OUTPUTS;

__global__ void __launch_bounds__(256)
    privatisation_window(const float* __restrict__ in, float* __restrict__ out) {
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kTile;
#if IN_SHARED
  __shared__ float tile[kTile + COUNT - 1];
#pragma unroll
  for (int i = 0; i < OUTPUTS; ++i) tile[i * 256 + thread] = in[first + i * 256 + thread];
  if (thread < COUNT - 1) tile[kTile + thread] = in[first + kTile + thread];
  __syncthreads();
  const float* window = tile + thread;
#else
  const float* window = in + first + thread;
#endif
#pragma unroll
  for (int output = 0; output < OUTPUTS; ++output) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < COUNT; ++k) sum += window[output * 256 + k];
    out[first + output * 256 + thread] = sum;
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void privatisation_window_reference(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  double sum = 0.0;
  for (int k = 0; k < COUNT; ++k) sum += static_cast<double>(in[i + k]);
  out[i] = static_cast<float>(sum);
}
#endif
