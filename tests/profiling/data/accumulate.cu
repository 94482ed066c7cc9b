/* warptune
[kernel]
name = "accumulate"
description = "c = 3 c + 1 with a counter in zeroed scratch: only right when both are restored before each launch"
entry = "accumulate"

[problem]
N = 65536

[parameters]
BLOCK = [128, 256]

[default]
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "c"
kind = "inout"
type = "f32"
count = "N"
init = { kind = "uniform", low = 1.0, high = 2.0, seed = 5 }

[[argument]]
name = "blocks_done"
kind = "scratch"
type = "i32"
count = "1"
zero = true

[[argument]]
name = "count"
kind = "out"
type = "i32"
count = "1"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "accumulate_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
*/

extern "C" __global__ void accumulate(float* c, int* blocks_done, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 3.0f * c[i] + 1.0f;
  if (threadIdx.x == 0 && atomicAdd(blocks_done, 1) == (int)gridDim.x - 1)
    *count = *blocks_done * (int)blockDim.x;
}

extern "C" __global__ void accumulate_reference(float* c, int*, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 3.0f * c[i] + 1.0f;
  if (i == 0) *count = n;
}
