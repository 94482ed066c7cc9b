/* warptune
[kernel]
name = "memory_divergence_edges"
description = "sums of three neighbouring elements, with several ways to treat the ends of the vector"
entry = "memory_divergence_edges"
about = """
Element i of the output is the sum of the elements i - 1, i and i + 1. At its ends, the vector is continued by its first
and its last element. EDGE = "clamped" limits the indices to the vector. "branch" treats the ends in a branch of their
own. "padded" reads the two further elements, which lie before and after the vector in memory.
"""
defines.CLAMPED = 'EDGE == "clamped"'
defines.BRANCH = 'EDGE == "branch"'

[problem]
N = { value = 33554432, description = "elements" }

[parameters]
EDGE = { values = ["padded", "clamped", "branch"], description = "how the ends of the vector are treated" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
EDGE = "padded"
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

# The vector begins at the second element. The first and the last element of the buffer repeat its ends.
[[argument]]
name = "padded"
kind = "in"
type = "i32"
count = "N + 2"
init = { kind = "expression", value = "max(1, min(i, N)) * 40503 % 65521" }
[[argument]]
name = "sums"
kind = "out"
type = "i32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "padded[i] + padded[i + 1] + padded[i + 2]"

[work]
flops = "0"
bytes = "8 * N"
*/

extern "C" __global__ void __launch_bounds__(BLOCK)
    memory_divergence_edges(const int* __restrict__ padded, int* __restrict__ sums, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const int* const vector = padded + 1;
#if CLAMPED
  sums[i] = vector[max(i - 1, 0)] + vector[i] + vector[min(i + 1, n - 1)];
#elif BRANCH
  if (i == 0)
    sums[i] = 2 * vector[i] + vector[i + 1];
  else if (i == n - 1)
    sums[i] = vector[i - 1] + 2 * vector[i];
  else
    sums[i] = vector[i - 1] + vector[i] + vector[i + 1];
#else
  sums[i] = vector[i - 1] + vector[i] + vector[i + 1];
#endif
}
