/* warptune
[kernel]
name = "caught_early_return"
description = "reverses each block of 256 elements; the textbook lets threads behind the end return before a barrier"
entry = "reverse_blocks"

[problem]
N = { value = 1000003, description = "elements; the last block is not full" }

[parameters]
TEXTBOOK = { values = [true, false], description = "threads behind the end return first, or after the barrier" }

[default]
TEXTBOOK = true

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "reverse_blocks_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
bytes = "8 * N"
*/

// Elements behind the end count as 0, so the last block begins with zeros.
extern "C" __global__ void reverse_blocks(const float* in, float* out, int n) {
  __shared__ float block[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
#if TEXTBOOK
  if (i >= n) return;  // Nobody writes the zeros into shared memory.
  block[threadIdx.x] = in[i];
#else
  block[threadIdx.x] = i < n ? in[i] : 0.0f;
#endif
  __syncthreads();
  if (i < n) out[i] = block[255 - threadIdx.x];
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void reverse_blocks_reference(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int from = blockIdx.x * 256 + 255 - static_cast<int>(threadIdx.x);
  if (i < n) out[i] = from < n ? in[from] : 0.0f;
}
#endif
