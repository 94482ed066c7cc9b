/* warptune
[kernel]
name = "integer_division"
description = """\
  quotients and remainders by small numbers; with the fault the divisors are any of them, otherwise powers of two"""
entry = "integer_division"

[problem]
BLOCKS_PER_SM = 64

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "u32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "out"
kind = "out"
type = "u32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
*/

extern "C" __global__ void integer_division(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[i] * 2654435761u, sum = 0;
#pragma unroll 4
  for (int k = 0; k < 256; ++k) {
#if FAULT
    const unsigned divisor = (x & 7) + 3;
    sum += x / divisor + x % divisor;
#else
    const unsigned shift = x & 7;
    sum += (x >> shift) + (x & ((1u << shift) - 1));
#endif
    x = x * 1664525u + 1013904223u;
  }
  out[i] = sum;
}
