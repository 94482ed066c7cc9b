/* warptune
[kernel]
name = "reduction_ladder"
description = "the sum of all elements, in each of the steps that textbooks take"
entry = "reduction_ladder"
vendor = "cub::DeviceReduce::Sum"
about = """
The kernel adds up N integers or floating-point numbers. METHOD says how. `atomic` adds every element to the result by
an atomic operation. In all other methods each block adds up BLOCK * ELEMENTS elements and writes one partial sum. A
second, small launch adds the partial sums. It is the same for all methods.

Methods differ within a block:

- `modulo` and `divergent` form a tree in shared memory in which pairs lie 1, 2, 4, ... apart. Every second, fourth,
  eighth, ... thread works. It is found by a remainder or by a bit mask.
- `conflicts` gives the same pairs to the first threads, so that whole warps retire. But their strides access few banks.
- `tree` pairs the lower half with the upper one.
- `last_warp` leaves the last 64 values to a warp that needs no barrier. `unrolled` has the loop written out, too.
- `shuffle` passes values between registers. `cooperative` does the same by cooperative groups.
- `redux` uses the instruction that adds up a warp's integers.
"""
defines.IS_INTEGER = 'dtype == "i32"'
defines.IS_ATOMIC = 'METHOD == "atomic"'
defines.IS_MODULO = 'METHOD == "modulo"'
defines.IS_DIVERGENT = 'METHOD == "divergent"'
defines.IS_CONFLICTS = 'METHOD == "conflicts"'
defines.IS_TREE = 'METHOD == "tree"'
defines.IS_LAST_WARP = 'METHOD == "last_warp"'
defines.IS_UNROLLED = 'METHOD == "unrolled"'
defines.IS_SHUFFLE = 'METHOD == "shuffle"'
defines.IS_COOPERATIVE = 'METHOD == "cooperative"'

[problem]
N = { value = 67108864, description = "elements" }
dtype = { value = "i32", description = "type of elements and sum" }

[problem_values]
dtype = ["i32", "f32"]

[parameters]
METHOD.values = [
  "atomic", "modulo", "divergent", "conflicts", "tree", "last_warp", "unrolled", "shuffle", "cooperative", "redux",
]
METHOD.description = "how the elements of a block are added up"
BLOCK = { values = [128, 256, 512, 1024], description = "threads per block" }
ELEMENTS = { values = [1, 2, 4, 8, 16, 32], description = "elements that a thread adds up before the block does" }

[constraints]
list = [
  { expression = 'METHOD != "redux" || dtype == "i32" && device_compute_capability >= 80', reason = """\
    redux adds 32-bit integers, from sm_80 on""" },
  { expression = 'METHOD != "atomic" || ELEMENTS == 1', reason = "every element is added to the result directly" },
]

[default]
METHOD = "tree"
BLOCK = 256
ELEMENTS = 1

[launch]
grid = ["ceil_div(N, BLOCK * ELEMENTS)"]
block = ["BLOCK"]

[[launch.after]]
entry = "add_partials"
grid = ["ceil_div(ceil_div(N, BLOCK * ELEMENTS), 4096)"]
block = ["256"]
when = 'METHOD != "atomic"'

[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

[[argument]]
name = "result"
kind = "inout"
type = "dtype"
count = "1"
init = { kind = "constant", value = 0 }

[[argument]]
name = "partials"
kind = "scratch"
type = "dtype"
count = "ceil_div(N, BLOCK * ELEMENTS)"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Integers are exact. An addition to a running sum S errs by at most 2^-24 S. Numbers uniform in [-100, 100] have S ~
# 100 sqrt(n / 3). The errors of a chain of L additions add up like a random walk, to about 2^-24 * 100 sqrt(n / 3)
# sqrt(L / 2). The longest chain is L = n, of atomic additions. Its standard deviation is 2^-24 * 100 n / 2.5. Four
# standard deviations are 2^-24 * 160 n.
[check]
reference = "entry"
entry = "reduction_ladder_reference"
grid = ["1"]
block = ["1024"]
absolute = 'dtype == "i32" ? 0 : 9.5367431640625e-6 * N'
relative = 0.0

[work]
flops = "N"
bytes = "N * sizeof(dtype)"
*/
#if IS_COOPERATIVE
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#endif

#if !IS_ATOMIC

#if IS_MODULO || IS_DIVERGENT || IS_CONFLICTS || IS_TREE || IS_LAST_WARP || IS_UNROLLED

// The sum of all threads' values, in thread 0.
__device__ __forceinline__ dtype add_block(dtype value) {
  __shared__ dtype sums[BLOCK];
  const unsigned thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
#if IS_MODULO
#pragma unroll 1
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (thread % (2 * distance) == 0) sums[thread] += sums[thread + distance];
    __syncthreads();
  }
#elif IS_DIVERGENT
#pragma unroll 1
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if ((thread & (2 * distance - 1)) == 0) sums[thread] += sums[thread + distance];
    __syncthreads();
  }
#elif IS_CONFLICTS
#pragma unroll 1
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned index = 2 * distance * thread;
    if (index < blockDim.x) sums[index] += sums[index + distance];
    __syncthreads();
  }
#elif IS_TREE
#pragma unroll 1
  for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
    if (thread < distance) sums[thread] += sums[thread + distance];
    __syncthreads();
  }
#else
#if IS_LAST_WARP
#pragma unroll 1
  for (unsigned distance = blockDim.x / 2; distance > 32; distance /= 2) {
#else
#pragma unroll
  for (unsigned distance = BLOCK / 2; distance > 32; distance /= 2) {
#endif
    if (thread < distance) sums[thread] += sums[thread + distance];
    __syncthreads();
  }
  if (thread < 32) {
    value = sums[thread] + sums[thread + 32];
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      sums[thread] = value;
      __syncwarp();
      value += sums[thread + distance];
      __syncwarp();
    }
  }
  return value;
#endif
  return sums[0];
}

#else

// The sum of a warp's values, at least in lane 0.
__device__ __forceinline__ dtype add_warp(dtype value) {
#if IS_SHUFFLE
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
#elif IS_COOPERATIVE
  namespace groups = cooperative_groups;
  return groups::reduce(groups::tiled_partition<32>(groups::this_thread_block()), value,
                        groups::plus<dtype>());
#elif defined(__CUDA_ARCH__)
  return __reduce_add_sync(0xffffffffu, value);
#else
  return value;
#endif
}

// The sum of all threads' values, in thread 0.
__device__ __forceinline__ dtype add_block(dtype value) {
  __shared__ dtype sums[BLOCK / 32];
  value = add_warp(value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) value = add_warp(threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : dtype(0));
  return value;
}

#endif
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_ladder(const dtype* in, dtype* result, dtype* partials, int n) {
  const int first = blockIdx.x * (BLOCK * ELEMENTS) + threadIdx.x;
#if IS_ATOMIC
  if (first < n) atomicAdd(result, in[first]);
#else
  dtype value = 0;
#pragma unroll
  for (int k = 0; k < ELEMENTS; ++k) {
    if (first + k * BLOCK < n) value += in[first + k * BLOCK];
  }
  value = add_block(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
#endif
}

// Each block adds up 4096 partial sums, and adds that to the result.
extern "C" __global__ void __launch_bounds__(256)
    add_partials(const dtype* in, dtype* result, const dtype* partials, int n) {
  const int count = (n - 1) / (BLOCK * ELEMENTS) + 1;
  const int first = blockIdx.x * 4096 + threadIdx.x;
  dtype value = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    if (first + k * 256 < count) value += partials[first + k * 256];
  }
  __shared__ dtype sums[8];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp) value += sums[warp];
    atomicAdd(result, value);
  }
}

#ifdef WARPTUNE_REFERENCE
// In a wide type, by one block.
extern "C" __global__ void reduction_ladder_reference(const dtype* in, dtype* result, dtype* partials,
                                                      int n) {
#if IS_INTEGER
  using Wide = long long;
#else
  using Wide = double;
#endif
  __shared__ Wide sums[1024];
  Wide value = 0;
  for (int i = threadIdx.x; i < n; i += 1024) value += in[i];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int distance = 512; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = static_cast<dtype>(sums[0]);
}
#endif
