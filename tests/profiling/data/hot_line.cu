/* warptune
[kernel]
name = "hot_line"
description = "one line takes nearly all of the time"
entry = "hot_line"

[problem]
N = 1048576
ROUNDS = 200

[parameters]
BLOCK = [256]

[default]
BLOCK = 256

[launch]
grid = ["N / BLOCK"]
block = ["BLOCK"]

[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"

[check]
reference = "configuration"
*/

extern "C" __global__ void hot_line(float* y, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0.001f * (i % 1000) - 0.5f;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    x = sinf(x) * 1.5f + 0.01f;  // The hot one.
  }
  y[i] = x;
}
