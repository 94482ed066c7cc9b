/* warptune
[kernel]
name = "narrow_integers_copy"
description = "a vector of char, short or int is incremented, with several elements per load"
entry = "narrow_integers_copy"
about = """
All elements of a vector get larger by one. A thread loads, changes and stores VECTOR neighbouring elements, each time
with one instruction. So a warp moves 32 * VECTOR * sizeof(dtype) bytes per load.
"""

[problem]
N = { value = 67108864, description = "elements, a multiple of 4096" }
dtype = { value = "i32", description = "type of the elements" }

[problem_values]
dtype = ["i8", "i16", "i32"]

[parameters]
VECTOR = { values = [1, 4, 16], description = "elements per load" }

[constraints]
list = ["VECTOR * sizeof(dtype) <= 16"]

[default]
VECTOR = 1

[launch]
grid = ["N / (256 * VECTOR)"]
block = ["256"]

[[argument]]
name = "from"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "expression", value = "i % 101" }
[[argument]]
name = "to"
kind = "out"
type = "dtype"
count = "N"

[check]
reference = "expression"
expression = "(dtype)(from[i] + 1)"

[work]
flops = "0"
bytes = "2 * N * sizeof(dtype)"
*/

struct alignas(sizeof(dtype) * VECTOR) Elements {
  dtype values[VECTOR];
};

extern "C" __global__ void __launch_bounds__(256)
    narrow_integers_copy(const Elements* __restrict__ from, Elements* __restrict__ to) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  Elements elements = from[i];
#pragma unroll
  for (dtype& value : elements.values) value = static_cast<dtype>(value + 1);
  to[i] = elements;
}
