/* warptune
[kernel]
name = "latency_hiding_arithmetic"
description = """\
  a fixed number of multiply-adds per SM, with a chosen number of warps and of independent chains per thread"""
entry = "latency_hiding_arithmetic"
about = """
The kernel does WORK warp-wide multiply-adds on each SM. Each SM has one block of WARPS warps, whose threads keep CHAINS
running sums each. A multiply-add has to wait for the one before it in its chain, which takes a few clock cycles.
Meanwhile the scheduler can issue multiply-adds of other chains. These belong to other warps (thread-level parallelism)
or to the same warp (instruction-level parallelism).

A multiply-add reads three operands. The factor one is a kernel argument, which is in the constant bank or a uniform
register. With OPERANDS = three, it comes from memory and takes a register of the thread, like the other two operands.

Each step adds a whole number that depends on the lane, so the total sum counts the steps. It is exact and the same for
all configurations, and the check allows no difference.
"""

[problem]
WORK = { value = 1048576, description = "multiply-adds of a warp that each SM does" }

[parameters]
WARPS = { values = [4, 8, 16, 32], description = "warps on each SM" }
CHAINS = { values = [1, 2, 4, 8], description = "independent sums of a thread" }
OPERANDS.values = ["two", "three"]
OPERANDS.description = "registers that a multiply-add reads; with three, the constant 1 is in a register, too"

[default]
WARPS = 32
CHAINS = 1
OPERANDS = "two"

[launch]
grid = ["device_sm_count"]
block = ["32 * WARPS"]

[[argument]]
name = "lane_values"  # 1 to 32, and then a one for each lane
kind = "in"
type = "f32"
count = "64"
init = { kind = "expression", value = "i < 32 ? i + 1 : 1" }

[[argument]]
name = "total"
kind = "inout"
type = "f64"
count = "1"
init = { kind = "constant", value = 0.0 }

[[argument]]
name = "work"
kind = "scalar"
type = "i32"
value = "WORK"

[[argument]]
name = "one"
kind = "scalar"
type = "f32"
value = "1"

# A chain adds a whole number up to 32 at most 2^18 times. The sum stays below 2^24, so it is exact. The rest is added
# in double.
[check]
reference = "entry"
entry = "latency_hiding_arithmetic_reference"
grid = ["1"]
block = ["1"]
absolute = 0.0
relative = 0.0

[work]
flops = "64 * WORK * device_sm_count"
bytes = "256"

[kernel.defines]
SM_COUNT = "device_sm_count"
THREE_OPERANDS = 'OPERANDS == "three"'
*/

constexpr int kSteps = 256 / CHAINS;  // of all chains, unrolled: the loop itself costs little

__global__ void __launch_bounds__(32 * WARPS)
    latency_hiding_arithmetic(const float* lane_values, double* total, int work, float constant_one) {
  const float value = lane_values[threadIdx.x % 32];
#if THREE_OPERANDS
  const float one = lane_values[32 + threadIdx.x % 32];
#else
  const float one = constant_one;
#endif
  float sums[CHAINS] = {};
#pragma unroll 1
  for (int i = work / WARPS; i > 0; i -= kSteps * CHAINS) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int j = 0; j < CHAINS; ++j) sums[j] = __fmaf_rn(value, one, sums[j]);
    }
  }
  double sum = 0.0;
#pragma unroll
  for (int j = 0; j < CHAINS; ++j) sum += sums[j];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

#ifdef WARPTUNE_REFERENCE
__global__ void latency_hiding_arithmetic_reference(const float* lane_values, double* total, int work,
                                                    float) {
  double sum = 0.0;
  for (int lane = 0; lane < 32; ++lane) sum += lane_values[lane];
  total[0] = sum * work * SM_COUNT;
}
#endif
