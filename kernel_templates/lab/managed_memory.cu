/* warptune
[kernel]
name = "managed_memory"
description = "means of a vector that the host has written, in managed memory or copied"
entry = "managed_memory"
about = """
The host has written a vector of N numbers. REUSE kernels read it one after the other. Each writes the mean of the
vector and of what the kernel before wrote, which is the vector again.

With METHOD = "copy", the vector is in pinned memory and copied to the GPU first. The next methods have it in managed
memory, with its pages on the host. With "faults", the first kernel accesses them there, and the driver moves each page
when it is accessed. With "prefetch", the program moves all pages before the kernels. With "mapped", advice keeps the
pages on the host, and the kernels read them over the link.

Two methods have the vector on the GPU already: "resident" in managed memory, "device" in memory of the GPU.
"""

[problem]
N = { value = 16777216, description = "elements" }

[parameters]
METHOD = { values = ["copy", "faults", "prefetch", "mapped", "resident", "device"], description = """\
  how the kernels get the vector""" }
REUSE = { values = [1, 2, 4, 8], description = "kernels that read the vector" }

[default]
METHOD = "copy"
REUSE = 1

[host]
[[host.loop]]
[[host.loop.step]]
copy = { from = "x_host", to = "x" }
when = 'METHOD == "copy"'
[[host.loop.step]]
prefetch = { buffer = "x_host", to = "device" }
when = 'METHOD == "prefetch"'
[[host.loop]]
times = "REUSE"
[[host.loop.step]]
launch = "managed_memory"
grid = ["ceil_div(N, 256)"]
block = ["256"]
when = 'METHOD == "copy"'
arguments = ["x", "means", "n", { value = "k", type = "i32" }]
[[host.loop.step]]
launch = "managed_memory"
grid = ["ceil_div(N, 256)"]
block = ["256"]
when = 'METHOD != "copy"'
arguments = ["x_host", "means", "n", { value = "k", type = "i32" }]

[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = 'METHOD == "copy" ? "pinned" : METHOD == "device" ? "device" : "managed"'
residency = 'METHOD == "resident" ? "device" : "host"'
advise.preferred_location = 'METHOD == "mapped" ? "host" : "none"'
advise.accessed_by = 'METHOD == "mapped" ? "device" : "none"'
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
count = 'METHOD == "copy" ? N : 1'
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "x_host[i]"
absolute = 0.0
relative = 0.0
*/

extern "C" __global__ void __launch_bounds__(256)
    managed_memory(const float* __restrict__ x, float* __restrict__ means, int n, int kernel) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) means[i] = kernel == 0 ? x[i] : 0.5f * (x[i] + means[i]);
}
