/* warptune
[kernel]
name = "sums"
description = "a sum of floats: one block adds in an order that BLOCK fixes, several add by atomics in any order"
entry = "sums"

[problem]
N = 1048576

[parameters]
BLOCK = [64, 256]
BLOCKS = [1, 1024]

[default]
BLOCK = 64
BLOCKS = 1

[launch]
grid = ["BLOCKS"]
block = ["BLOCK"]

[[argument]]
name = "sum"
kind = "inout"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.0 }

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 3 }

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "sums_reference"
grid = ["1"]
block = ["256"]
relative = 1e-3
*/

template <class Sum>
__device__ Sum sum_of_block(const float* a, int n) {
  __shared__ Sum sums[256];
  Sum own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += a[i];
  sums[threadIdx.x] = own;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}

extern "C" __global__ void sums(float* sum, const float* a, int n) {
  const float own = sum_of_block<float>(a, n);
  if (threadIdx.x > 0) return;
  if (BLOCKS == 1) *sum = own;
  if (BLOCKS > 1) atomicAdd(sum, own);
}

extern "C" __global__ void sums_reference(float* sum, const float* a, int n) {
  const double own = sum_of_block<double>(a, n);
  if (threadIdx.x == 0) *sum = (float)own;
}
