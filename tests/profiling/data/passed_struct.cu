/* warptune
[kernel]
name = "passed_struct"
description = "a range in a struct, two outputs that alternate in one buffer, and a null pointer"
entry = "split"

[problem]
N = 10000

[parameters]
BLOCK = [128, 256]
END = [0, 1]                       # 1: one element too few
MEMORY = ["device", "managed"]

[default]
BLOCK = 256
END = 0
MEMORY = "device"

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = [
  { struct = 24, members = [
    { at = 0, name = "x", offset = 3 },
    { at = 8, name = "x", offset = "N + 3 - END" },
    { at = 16, value = 2.0, type = "f32" },
  ] },
  { value = 0, type = "i64" },
  "parts",
  { name = "parts", offset = 1 },
]

[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N + 3"
memory = "MEMORY"

[[argument]]
name = "parts"
kind = "out"
type = "f32"
count = "2 * N"

[check]
reference = "expression"
expression = "(i % 2 == 0 ? 2.0f : -2.0f) * x[i / 2 + 3]"
absolute = 0.0
*/
struct Range {
  const float* begin;
  const float* end;
  float scale;
};

__global__ void split(Range range, const float* bias, float* real, float* imaginary) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (range.begin + i >= range.end) return;
  const float value = range.scale * range.begin[i] + (bias == nullptr ? 0.0f : bias[i]);
  real[2 * i] = value;
  imaginary[2 * i] = -value;
}
