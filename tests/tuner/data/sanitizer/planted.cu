/* warptune
[kernel]
name = "planted"
description = "reverses blocks of 64 elements, with one planted fault for each tool of compute-sanitizer"
entry = "planted"

[problem]
N = 65536

[parameters]
FAULT = ["none", "write_behind", "read_behind", "read_before_writing", "divergent_barrier", "missing_barrier"]

[default]
FAULT = "none"

[launch]
grid = ["N / 64"]
block = ["64"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
*/

// The line of each fault is marked by its name. `none` is the right form of all of them.
enum Fault { none, write_behind, read_behind, read_before_writing, divergent_barrier, missing_barrier };

extern "C" __global__ void planted(const float* a, float* c, long long n) {
  __shared__ float s[64];
  const long long i = blockIdx.x * 64LL + threadIdx.x;
  float value = a[i];
  if (FAULT == read_behind && i == n - 1) {
    value += a[n + 2];  // read_behind
  }
  if (FAULT == divergent_barrier && threadIdx.x < 16) {
    __syncthreads();  // divergent_barrier
  }
  s[threadIdx.x] = value;  // missing_barrier
  if (FAULT != missing_barrier) __syncthreads();
  float result = s[63 - threadIdx.x];
  if (FAULT == read_before_writing) {
    result += c[i];  // read_before_writing
  }
  c[i] = result;
  if (FAULT == write_behind && i == n - 1) {
    c[n] = value;  // write_behind
  }
}
