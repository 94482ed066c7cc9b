/* warptune
[kernel]
name = "scaled_sum"
description = "out[i] = alpha in[i], and the sums of blocks in scratch"
entry = "scaled_sum"

[problem]
N = 4096
dtype = "f32"

[problem_values]
dtype = ["f32", "f64"]

[parameters]
BLOCK = [64, 128, 256, 512]

[default]
BLOCK = 64

[constraints]
list = ["BLOCK <= N"]

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "N"

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "sums"
kind = "scratch"
type = "dtype"
count = "ceil_div(N, BLOCK)"
zero = true

[[argument]]
name = "alpha"
kind = "scalar"
type = "dtype"
value = "2.0"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = { out = "2 * in[i]" }
*/

extern "C" __global__ void scaled_sum(const dtype* in, dtype* out, dtype* sums, dtype alpha, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  out[i] = alpha * in[i];
  atomicAdd(&sums[blockIdx.x], in[i]);
}
