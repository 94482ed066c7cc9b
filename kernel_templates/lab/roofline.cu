/* warptune
[kernel]
name = "roofline"
description = "the sum of a vector, with a chosen number of multiply-adds per element"
entry = "roofline"
about = """
The kernel reads a vector once and does FMAS multiply-adds with each element. Its arithmetic intensity is FMAS / 2
operations per byte. This ranges from far below to far above what a GPU can compute for each byte that its memory
delivers.

The first multiply-add of an element adds it to a running sum. The others multiply that sum by one and add zero. The
compiler does not know that these two arguments are one and zero, so it must emit all multiply-adds. The result is the
same for every FMAS. Elements are whole numbers from -8 to 8, whose sums are exact in any order, so the check allows no
difference.

A thread has eight running sums, each a chain of its own. As many threads as fit on the GPU loop over the vector. So
neither the latency of a multiply-add nor that of memory should show. With AHEAD = true, a thread requests its next
elements before it computes with the current ones. With FUSED = false, each multiply-add is a multiplication and an
addition, which are two instructions for the same two operations.

With PIECES = 1, all blocks are resident from the beginning to the end, and each has its part of the vector. Schedulers
favour some warps over others, and those finish early. With more and smaller blocks, other warps take their places.
"""

[problem]
ROUNDS.value = 32
ROUNDS.description = "the vector has 8 elements for each thread that fits on the GPU, multiplied by this number"

[parameters]
FMAS = { values = [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512], description = "multiply-adds with each element" }
FUSED = { values = [true, false], description = "whether a multiply-add is one instruction or two" }
AHEAD.values = [false, true]
AHEAD.description = "a thread requests its next elements before it computes with the current ones"
PIECES.values = [1, 4, 16]
PIECES.description = "blocks for each block that fits on the GPU at once; more blocks have smaller parts"
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
FMAS = 1
FUSED = true
AHEAD = false
PIECES = 1
BLOCK = 256

[launch]
grid = ["PIECES * device_sm_count * (device_max_threads_per_sm / BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "ROUNDS * 8 * device_sm_count * device_max_threads_per_sm"
init = { kind = "expression", value = "floor(17 * u) - 8" }

[[argument]]
name = "total"
kind = "inout"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.0 }

[[argument]]
name = "count"
kind = "scalar"
type = "i64"
value = "ROUNDS * 8 * device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "one"
kind = "scalar"
type = "f32"
value = "1"

[[argument]]
name = "zero"
kind = "scalar"
type = "f32"
value = "0"

# Elements are whole numbers whose partial sums stay below 2^24. So no addition rounds, in any order.
[check]
reference = "entry"
entry = "roofline_reference"
grid = ["8 * device_sm_count"]
block = ["256"]
absolute = 0.0
relative = 0.0

# Operations are those of FMAS = 1, because work depends on the problem. FMAS is a parameter so that one sum checks all
# values.
[work]
flops = "2 * ROUNDS * 8 * device_sm_count * device_max_threads_per_sm"
bytes = "4 * ROUNDS * 8 * device_sm_count * device_max_threads_per_sm"
*/

constexpr int kUnroll = 16;  // steps of all eight sums, so that the loop itself costs little

__device__ __forceinline__ float multiply_add(float x, float y, float z) {
#if FUSED
  return __fmaf_rn(x, y, z);
#else
  return __fadd_rn(__fmul_rn(x, y), z);
#endif
}

__global__ void __launch_bounds__(BLOCK)
    roofline(const float* __restrict__ in, float* total, long long count, float one, float zero) {
  const float4* words = reinterpret_cast<const float4*>(in);
  const long long threads = static_cast<long long>(gridDim.x) * BLOCK;
  float sums[8] = {};
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
#if AHEAD
  float4 low = __ldg(words + first);
  float4 high = __ldg(words + first + threads);
#endif
#pragma unroll 1
  for (long long i = first; i < count / 4; i += 2 * threads) {
#if !AHEAD
    const float4 low = __ldg(words + i);
    const float4 high = __ldg(words + i + threads);
#endif
    const float elements[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[j] = multiply_add(elements[j], one, sums[j]);
#if AHEAD
    if (i + 2 * threads < count / 4) {
      low = __ldg(words + i + 2 * threads);
      high = __ldg(words + i + 3 * threads);
    }
#endif
#pragma unroll kUnroll
    for (int k = 1; k < FMAS; ++k) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[j] = multiply_add(sums[j], one, zero);
    }
  }
  float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  __shared__ float warps[BLOCK / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < BLOCK / 32; ++i) sum += warps[i];
    atomicAdd(total, sum);
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void roofline_reference(const float* in, float* total, long long count, float, float) {
  float sum = 0.0f;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads)
    sum += in[i];
  atomicAdd(total, sum);
}
#endif
