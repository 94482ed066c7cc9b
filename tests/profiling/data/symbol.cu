/* warptune
[kernel]
name = "symbol"
description = "weights in a variable of the program, of constant or of global memory"
entry = "weigh"

[problem]
N = 10000

[parameters]
WHERE = ["in_constant", "in_global"]
ROOM = [64, 32]

[default]
WHERE = "in_constant"
ROOM = 64

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"

[[argument]]
name = "weights"
kind = "in"
type = "f32"
count = "64"
symbol = "kept_weights"

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "x[i] * weights[i % 64]"
absolute = 0.0
*/
#define in_constant 1
#define in_global 2
#if WHERE == in_constant
static __constant__ float kept_weights[ROOM];
#else
__device__ float kept_weights[ROOM];
#endif

__global__ void weigh(const float* x, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = x[i] * kept_weights[i % ROOM];
}
