/* warptune
[kernel]
name = "occupancy_cliff_ilp"
description = "chains of dependent multiply-adds: few warps with several chains per thread, or many warps with one"
about = """
An element passes through ROUNDS multiply-adds. Each needs the result of the one before it, and so waits for its
latency. Other warps can hide that latency (WARPS on an SM), and so can independent elements of the same thread
(CHAINS). A multiply-add takes 4 cycles from sm_70 on. An SM has four schedulers. Four chains keep one of them busy all
the time, whichever warps they belong to.

One block runs on each SM, or two where full occupancy takes more than 1024 threads. Every configuration does the same
work on the same elements.
"""
entry = "occupancy_cliff_ilp"
defines = { BLOCK = "WARPS == 0 ? device_max_threads_per_sm / ceil_div(device_max_threads_per_sm, 1024) : 32 * WARPS" }

[problem]
ROUNDS = { value = 8192, description = "multiply-adds per element, a multiple of 256" }

[parameters]
WARPS = { values = [4, 8, 16, 32, 0], description = "resident warps per SM; 0: as many as it holds" }
CHAINS = { values = [1, 2, 4], description = "elements that a thread processes at the same time" }

[constraints]
list = [
  { expression = """\
    device_max_threads_per_sm % ((WARPS == 0 ? device_max_threads_per_sm : 32 * WARPS) * CHAINS) == 0""", reason = """\
    every thread gets the same number of elements""" },
]

[default]
WARPS = 8
CHAINS = 1

[launch]
grid = ["device_sm_count * (WARPS == 0 ? ceil_div(device_max_threads_per_sm, 1024) : 1)"]
block = ["WARPS == 0 ? device_max_threads_per_sm / ceil_div(device_max_threads_per_sm, 1024) : 32 * WARPS"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"

# The reference executes the same fused operations in the same order.
[check]
reference = "entry"
entry = "occupancy_cliff_ilp_reference"
grid = ["ceil_div(device_sm_count * device_max_threads_per_sm, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * ROUNDS * device_sm_count * device_max_threads_per_sm"
bytes = "8 * device_sm_count * device_max_threads_per_sm"
*/

// A loop has 256 multiply-adds, however many chains share them.
constexpr int kUnroll = 256 / CHAINS;

__global__ void __launch_bounds__(BLOCK)
    occupancy_cliff_ilp(const float* __restrict__ in, float* __restrict__ out, int n, int rounds) {
  const int threads = static_cast<int>(gridDim.x) * BLOCK;
  for (int first = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x); first < n;
       first += CHAINS * threads) {
    float x[CHAINS];
#pragma unroll
    for (int j = 0; j < CHAINS; ++j) x[j] = in[first + j * threads];
#pragma unroll 1
    for (int round = 0; round < rounds; round += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
        for (int j = 0; j < CHAINS; ++j) x[j] = fmaf(x[j], -0.998f, 0.5f);
      }
    }
#pragma unroll
    for (int j = 0; j < CHAINS; ++j) out[first + j * threads] = x[j];
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void occupancy_cliff_ilp_reference(const float* in, float* out, int n, int rounds) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i >= n) return;
  float x = in[i];
  for (int round = 0; round < rounds; ++round) x = fmaf(x, -0.998f, 0.5f);
  out[i] = x;
}
#endif
