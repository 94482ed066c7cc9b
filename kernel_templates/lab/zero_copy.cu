/* warptune
[kernel]
name = "zero_copy"
description = "means of a vector in the host's memory, which is copied first or read by the kernels themselves"
entry = "zero_copy"
about = """
A vector of N numbers is in the host's pinned memory. REUSE kernels read it one after the other. Each writes the mean of
the vector and of what the kernel before wrote, which is the vector again. With METHOD = "copy", the vector is copied to
the GPU first. With "mapped", each kernel reads the host's memory itself (zero copy).

With WINDOW = 8, each thread reads eight neighbouring elements, and multiplies seven of them by zero. So a kernel
requests each element eight times, and most of these requests find it in L1. With STRIDE = 32, the threads of a warp
read elements that are 128 bytes apart.
"""

[problem]
N = { value = 4194304, description = "elements" }

[parameters]
METHOD = { values = ["copy", "mapped"], description = "a copy before the kernels, or zero copy" }
REUSE = { values = [1, 2, 4, 8], description = "kernels that read the vector" }
WINDOW = { values = [1, 8], description = "neighbouring elements that a thread reads" }
STRIDE = { values = [1, 32], description = "elements from one thread to the next" }

[constraints]
list = [
  { expression = "WINDOW == 1 || STRIDE == 1", reason = "the windows of neighbouring threads overlap" },
]

[default]
METHOD = "copy"
REUSE = 1
WINDOW = 1
STRIDE = 1

[host]
[[host.loop]]
[[host.loop.step]]
copy = { from = "x_host", to = "x" }
when = 'METHOD == "copy"'
[[host.loop]]
times = "REUSE"
[[host.loop.step]]
launch = "zero_copy"
grid = ["ceil_div(N, 256)"]
block = ["256"]
when = 'METHOD == "copy"'
arguments = ["x", "means", "n", "zero", { value = "k", type = "i32" }]
[[host.loop.step]]
launch = "zero_copy"
grid = ["ceil_div(N, 256)"]
block = ["256"]
when = 'METHOD == "mapped"'
arguments = ["x_host", "means", "n", "zero", { value = "k", type = "i32" }]

[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = "pinned"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "means"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "x"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# This is zero, but the compiler does not know that.
[[argument]]
name = "zero"
kind = "scalar"
type = "f32"
value = "0"

[check]
reference = "expression"
expression = "x_host[i]"
absolute = 0.0
relative = 0.0
*/

extern "C" __global__ void __launch_bounds__(256)
    zero_copy(const float* __restrict__ x, float* __restrict__ means, int n, float zero, int kernel) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  if (thread >= n) return;
  const int i = STRIDE == 1 ? thread : thread % (n / STRIDE) * STRIDE + thread / (n / STRIDE);
  float value = x[i];
#pragma unroll
  for (int j = 1; j < WINDOW; ++j) value = fmaf(zero, x[min(i + j, n - 1)], value);
  means[i] = kernel == 0 ? value : 0.5f * (value + means[i]);
}
