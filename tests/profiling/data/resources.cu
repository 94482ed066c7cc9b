/* warptune
[kernel]
name = "resources"
description = "takes as many threads, registers and bytes of shared memory as asked"
entry = "resources"

[problem]
N = 65536

[parameters]
BLOCK = [256, 1024, 2048]
SHARED = [1024, 65536, 102400, 1048576]
REGISTERS = [32, 200]
PARAMETERS = [2, 3]

[default]
BLOCK = 256
SHARED = 1024
REGISTERS = 32
PARAMETERS = 2

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
shared_bytes = "SHARED"

[[argument]]
name = "c"
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
expression = "(float)(i % 7)"
*/

#if PARAMETERS == 2
#define LIST float *c, int n
#else
#define LIST float *c, int n, int surplus
#endif

extern "C" __global__ void resources(LIST) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = SHARED / 4 - 1;
  tile[last - (int)(threadIdx.x % 256u)] = 1.0f;
#if REGISTERS > 32
  // All loads come before all stores, so that all values are held in registers at once.
  volatile float* source = c;
  float held[REGISTERS - 40];
#pragma unroll
  for (int k = 0; k < REGISTERS - 40; ++k) held[k] = source[k];
  if (n < 0) {
#pragma unroll
    for (int k = 0; k < REGISTERS - 40; ++k) source[REGISTERS - k] = held[k];
  }
#endif
  if (i < n) c[i] = (float)(i % 7);
}
