/* warptune
[kernel]
name = "host_sum"
description = "an inout vector in the host's memory and zeroed scratch there: both as at first before every launch"
[problem]
N = 4096
[parameters]
MEMORY = ["pinned", "device", "write_combined", "managed"]
[default]
MEMORY = "pinned"
[host]
[[host.loop]]
[[host.loop.step]]
launch = "add_and_mark"
grid = ["ceil_div(N, 256)"]
block = [256]
[[argument]]
name = "x"
kind = "inout"
type = "f32"
count = "N"
memory = "MEMORY"
[[argument]]
name = "marks"
kind = "scratch"
type = "i32"
count = "N"
zero = true
memory = "MEMORY"
[check]
reference = "entry"
entry = "add"
grid = ["ceil_div(N, 256)"]
block = [256]
*/
extern "C" __global__ void add_and_mark(float* x, int* marks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 1.0f + marks[i];
  marks[i] += 1;
}
extern "C" __global__ void add(float* x, int*) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }
