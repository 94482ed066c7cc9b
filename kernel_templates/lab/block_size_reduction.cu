/* warptune
[kernel]
name = "block_size_reduction"
description = "the sum of N integers, by a tree in shared memory and one atomic addition per block"
about = """
Each thread adds up 8 elements. The block's threads add up their sums in shared memory, with half of the threads in each
step. Then one thread adds the block's sum to the result. Larger blocks have fewer atomic additions and more steps
between barriers, at which most threads have nothing left to do.
"""
entry = "block_size_reduction"

[problem]
N = { value = 33554432, description = "elements, a multiple of 8192" }

[parameters]
BLOCK = { values = [32, 64, 128, 256, 512, 1024], description = "threads per block" }

[default]
BLOCK = 256

[launch]
grid = ["N / (8 * BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 100.0, seed = 1 }

# It is set back to 0 before every launch.
[[argument]]
name = "result"
kind = "inout"
type = "i32"
count = "1"
init = { kind = "constant", value = 0 }

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Sums of integers are exact in any order.
[check]
reference = "entry"
entry = "block_size_reduction_reference"
grid = ["1"]
block = ["1024"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "4 * N"
*/

__global__ void __launch_bounds__(BLOCK) block_size_reduction(const int* __restrict__ in, int* result, int) {
  __shared__ int sums[BLOCK];
  const int thread = static_cast<int>(threadIdx.x);
  const int* from = in + blockIdx.x * (8 * BLOCK) + thread;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += from[k * BLOCK];
  sums[thread] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(result, sums[0]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void block_size_reduction_reference(const int* in, int* result, int n) {
  int sum = 0;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 1024) sum += in[i];
  atomicAdd(result, sum);
}
#endif
