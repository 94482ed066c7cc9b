/* warptune
[kernel]
name = "concurrent_kernels"
description = "independent kernels of few or many blocks, on one stream or on several"
entry = "concurrent_kernels"
about = """
The program launches KERNELS kernels that do not depend on one another. They take STREAMS streams in turn. Each thread
executes one chain of multiply-adds, so a block takes the same time however many others run beside it. A kernel has
`percent` blocks of 128 threads for 100 SMs.

SHARED says how much shared memory the blocks ask for. With "most", a block takes three quarters of what a block can
have, so only one such block fits on an SM at a time. With "none", blocks need only threads and registers. With
"alternate", the kernels of even number ask for "most", and the others for "none". "alternate_all" is the same,
but the kernels of even number take all that a block can have. CARVEOUT is the share of an SM's memory that kernels
prefer as shared memory, in percent, or -1.
"""

[problem]
KERNELS = { value = 8, description = "independent kernels" }
percent = { value = 100, description = "blocks of a kernel, as percent of the number of SMs" }
LENGTH = { value = 32768, description = "multiply-adds of each thread" }

[parameters]
STREAMS = { values = [1, 2, 4, 8], description = "streams that the kernels take in turn" }
SHARED = { values = ["none", "most", "alternate", "alternate_all"], description = "shared memory of the blocks" }
CARVEOUT = { values = [-1, 100], description = "preferred share of shared memory, in percent; -1: the driver chooses" }

[constraints]
list = [
  { expression = '(SHARED != "alternate" && SHARED != "alternate_all") || STREAMS <= 2', reason = """\
    a stream has kernels of one kind only""" },
]

[default]
STREAMS = 1
SHARED = "none"
CARVEOUT = -1

[host]
streams = "STREAMS"
[[host.loop]]
times = "KERNELS"
stream = "k % STREAMS"
[[host.loop.step]]
launch = "concurrent_kernels"
grid = ["ceil_div(device_sm_count * percent, 100)"]
block = ["128"]
shared_bytes = """\
  SHARED == "most" || (SHARED == "alternate" && k % 2 == 0) ? ceil_div(device_shared_bytes_per_block_optin * 3, 4) : \
  (SHARED == "alternate_all" && k % 2 == 0 ? device_shared_bytes_per_block_optin : 0)"""
carveout = "CARVEOUT"
arguments = [
  "x", { name = "y", offset = "k * ceil_div(device_sm_count * percent, 100) * 128" }, "length",
]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "ceil_div(device_sm_count * percent, 100) * 128"
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "KERNELS * ceil_div(device_sm_count * percent, 100) * 128"
[[argument]]
name = "length"
kind = "scalar"
type = "i32"
value = "LENGTH"
[[argument]]
name = "threads"
kind = "scalar"
type = "i32"
value = "ceil_div(device_sm_count * percent, 100) * 128"

# The reference executes the same multiply-adds in the same order.
[check]
reference = "entry"
entry = "concurrent_kernels_reference"
grid = ["KERNELS * ceil_div(device_sm_count * percent, 100)"]
block = ["128"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * LENGTH * KERNELS * ceil_div(device_sm_count * percent, 100) * 128"
*/

// A chain of multiply-adds, each of which needs the result of the one before. It stays between -1 and 1.
__device__ float chain(float x, int length) {
#pragma unroll 16
  for (int step = 0; step < length; ++step) x = fmaf(x, 0.5f, 0.5f);
  return x;
}

extern "C" __global__ void __launch_bounds__(128) concurrent_kernels(const float* x, float* y, int length) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  y[i] = x[i] + chain(x[i], length);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void concurrent_kernels_reference(const float* x, float* y, int length, int threads) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  y[i] = x[i % threads] + chain(x[i % threads], length);
}
#endif
