/* warptune
[kernel]
name = "local_array"
description = """\
  a histogram of 16 bins per thread; with the fault the bins are an array of the thread, otherwise columns of shared \
  memory"""
entry = "local_array"

[problem]
BLOCKS_PER_SM = 64

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["128"]

[[argument]]
name = "in"
kind = "in"
type = "u32"
count = "128 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "out"
kind = "out"
type = "u32"
count = "128 * device_sm_count * BLOCKS_PER_SM"
*/

#if FAULT
#define BIN(index) bins[index]
#else
#define BIN(index) bins[(index)*128 + threadIdx.x]
#endif

extern "C" __global__ void local_array(const unsigned* in, unsigned* out) {
#if FAULT
  unsigned bins[16];
#else
  __shared__ unsigned bins[16 * 128];
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; ++k) BIN(k) = 0;
  unsigned state = in[i] * 2654435761u + i;
#pragma unroll 4
  for (int k = 0; k < 256; ++k) {
    state = state * 1664525u + 1013904223u;
    BIN(state >> 28) += 1;
  }
  unsigned most = 0;
  for (int k = 0; k < 16; ++k) most = max(most, BIN(k));
  out[i] = most;
}
