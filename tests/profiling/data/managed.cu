/* warptune
[kernel]
name = "managed"
description = "a vector doubled in managed memory, with any residency and advice, with and without a prefetch"
[problem]
N = 4194304
[parameters]
RESIDENCY = ["device", "host"]
READ_MOSTLY = [false, true]
PREFERRED = ["none", "device", "host"]
ACCESSED_BY = ["none", "device", "host"]
PREFETCH = [false, true]
[default]
RESIDENCY = "device"
READ_MOSTLY = false
PREFERRED = "none"
ACCESSED_BY = "none"
PREFETCH = false
[host]
timed = 'PREFETCH ? "host" : "gpu"'
[[host.loop]]
[[host.loop.step]]
when = "PREFETCH"
prefetch = { buffer = "x", to = "device" }
[[host.loop.step]]
launch = "twice"
grid = ["ceil_div(N, 256)"]
block = [256]
[[host.loop.step]]
when = "PREFETCH"
prefetch = { buffer = "y", offset = "N / 2", to = "host" }
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
memory = "managed"
residency = "RESIDENCY"
advise = { read_mostly = "READ_MOSTLY", preferred_location = "PREFERRED", accessed_by = "ACCESSED_BY" }
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
memory = "managed"
residency = "RESIDENCY"
[check]
reference = "expression"
expression = "2 * x[i]"
*/
extern "C" __global__ void twice(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}
