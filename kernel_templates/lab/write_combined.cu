/* warptune
[kernel]
name = "write_combined"
description = "a vector that moves from or to pinned or write-combined memory of the host, in four ways"
entry = "write_combined"
about = """
A vector of N numbers moves once. With PART = "copy", it is copied from the host's memory to the GPU. With "kernel", a
kernel reads the host's memory itself (zero copy). With "host_reads", the host copies the vector from that memory to
pageable memory. With "host_writes", the host copies it from pageable memory to that memory.

MEMORY is the kind of the host's memory: pinned, or pinned and write-combined. The CPU does not cache write-combined
memory: it collects writes in a buffer, and fetches each read from memory.
"""

[problem]
N = { value = 4194304, description = "elements" }

[parameters]
PART = { values = ["copy", "kernel", "host_reads", "host_writes"], description = "what moves the vector" }
MEMORY = { values = ["pinned", "write_combined"], description = "the host's memory" }

[default]
PART = "copy"
MEMORY = "pinned"

[host]
[[host.loop]]
[[host.loop.step]]
copy = { from = "from", to = "to" }
when = 'PART != "kernel"'
[[host.loop.step]]
launch = "write_combined"
grid = ["ceil_div(N, 256)"]
block = ["256"]
when = 'PART == "kernel"'

[[argument]]
name = "from"
kind = "in"
type = "f32"
count = "N"
memory = 'PART == "host_writes" ? "pageable" : MEMORY'
[[argument]]
name = "to"
kind = "out"
type = "f32"
count = "N"
memory = 'PART == "host_writes" ? MEMORY : PART == "host_reads" ? "pageable" : "device"'
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "from[i]"
absolute = 0.0
relative = 0.0

[work]
bytes = "N * 4"
*/

extern "C" __global__ void __launch_bounds__(256)
    write_combined(const float* __restrict__ from, float* __restrict__ to, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) to[i] = from[i];
}
