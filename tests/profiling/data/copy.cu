/* warptune
[kernel]
name = "copy"
description = "b = a, so large that no cache holds it"
entry = "copy"

[problem]
N = 134217728

[parameters]
BLOCK = [256]

[default]
BLOCK = 256

[launch]
grid = ["device_sm_count * 32"]
block = ["BLOCK"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "constant", value = 1.5 }

[[argument]]
name = "b"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "expression"
expression = "a[i]"

[work]
bytes = "2 * N * sizeof(\"f32\")"
*/

extern "C" __global__ void copy(const float* a, float* b, long long n) {
  const long long stride = (long long)gridDim.x * blockDim.x;
  const float4* from = reinterpret_cast<const float4*>(a);
  float4* to = reinterpret_cast<float4*>(b);
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n / 4; i += stride)
    to[i] = from[i];
}
