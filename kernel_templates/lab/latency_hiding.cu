/* warptune
[kernel]
name = "latency_hiding"
description = """\
  the sum of a vector, with a chosen number of warps per SM, loads in flight per thread, and operations per element"""
entry = "latency_hiding"
about = """
The kernel reads a vector with exactly WARPS warps on each SM. A thread requests LOADS vectors of 16 bytes at once and
waits for them. It adds them up and requests the next ones. So at most WARPS x LOADS x 512 bytes are in flight on an SM.
More warps (thread-level parallelism) can replace more loads (instruction-level parallelism), and vice versa.

Each of a vector's four elements takes part in FMAS multiply-adds. They form one chain for each of the LOADS vectors.
The first one adds the element to a running sum. The others multiply that sum by one and add zero. That factor of one is
an argument, so that the compiler cannot leave these multiply-adds out. Elements are whole numbers from -8 to 8, whose
sums are exact in any order. So the check allows no difference.

The grid sets the number of warps. Each SM has one block of up to 256 threads, or several, and all are resident at once.
Filling shared memory would also limit the warps. But it would shrink L1, which shares its memory and has the lines of
loads in flight. The bound of one block per SM tells the compiler that there are enough registers. Without it, the
compiler would delay loads to save registers, and fewer loads would be in flight.
"""

[problem]
ROUNDS = { value = 8, description = "the number of elements is 32 for each of 2048 threads per SM, times this" }

[parameters]
WARPS = { values = [1, 2, 4, 8, 16, 32, 64], description = "warps on each SM" }
LOADS = { values = [1, 2, 4, 8], description = "128-bit loads that a thread has in flight" }
FMAS = { values = [1, 8, 32, 128, 256], description = "multiply-adds with each element" }

[constraints]
list = [
  { expression = "WARPS < 64 || LOADS <= 2", reason = """\
    loads in flight need registers, and with 64 warps a thread has only 32""" },
]

[default]
WARPS = 32
LOADS = 2
FMAS = 1

[launch]
grid = ["device_sm_count * ceil_div(WARPS, 8)"]
block = ["32 * min(WARPS, 8)"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "ROUNDS * 32 * 2048 * device_sm_count"
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
value = "ROUNDS * 32 * 2048 * device_sm_count"

[[argument]]
name = "one"
kind = "scalar"
type = "f32"
value = "1"

# Elements are whole numbers whose partial sums stay below 2^24. So no addition rounds, in any order.
[check]
reference = "entry"
entry = "latency_hiding_reference"
grid = ["8 * device_sm_count"]
block = ["256"]
absolute = 0.0
relative = 0.0

# Operations are those of FMAS = 1, because the work depends only on the problem. FMAS is a parameter so that one sum
# checks all configurations.
[work]
flops = "2 * ROUNDS * 32 * 2048 * device_sm_count"
bytes = "4 * ROUNDS * 32 * 2048 * device_sm_count"
*/

constexpr int kChain = 4 * (FMAS - 1);  // multiply-adds with a vector behind the first of each element
constexpr int kUnroll = 64 / LOADS;

__global__ void __launch_bounds__(256, 1)
    latency_hiding(const float* in, float* total, long long count, float one) {
  const float4* vectors = reinterpret_cast<const float4*>(in);
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  float sums[LOADS] = {};
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count / 4;
       i += LOADS * threads) {
    float4 loaded[LOADS];
#pragma unroll
    for (int j = 0; j < LOADS; ++j) loaded[j] = vectors[i + j * threads];
    __syncwarp();  // the compiler moves no load behind it, to where the vector is used and its register would be free
#pragma unroll
    for (int j = 0; j < LOADS; ++j) {
      sums[j] = __fmaf_rn(loaded[j].x, one, sums[j]);
      sums[j] = __fmaf_rn(loaded[j].y, one, sums[j]);
      sums[j] = __fmaf_rn(loaded[j].z, one, sums[j]);
      sums[j] = __fmaf_rn(loaded[j].w, one, sums[j]);
    }
#pragma unroll kUnroll
    for (int k = 0; k < kChain; ++k) {
#pragma unroll
      for (int j = 0; j < LOADS; ++j) sums[j] = __fmaf_rn(sums[j], one, 0.0f);
    }
  }
  float sum = sums[0];
#pragma unroll
  for (int j = 1; j < LOADS; ++j) sum += sums[j];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

#ifdef WARPTUNE_REFERENCE
__global__ void latency_hiding_reference(const float* in, float* total, long long count, float) {
  float sum = 0.0f;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads)
    sum += in[i];
  atomicAdd(total, sum);
}
#endif
