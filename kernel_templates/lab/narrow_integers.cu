/* warptune
[kernel]
name = "narrow_integers"
description = "chains of integer operations in char, short or int"
entry = "narrow_integers"
about = """
Each thread applies the same step `steps` times to its number, in the type TYPE. Each result is converted to this type.
With shift = 0, the step is x * a + b. The lower bits of its result do not depend on the upper bits of x, so the
conversion may wait until the end. With shift = 1, the step is (x >> 1) + b. A right shift brings down upper bits, so
each result must be converted before the next step. The output is the lowest byte of the last result, which is the same
for all types.
"""
defines.SHIFT = "shift"

[problem]
N = { value = 2097152, description = "threads" }
steps = { value = 1024, description = "steps of a thread, a multiple of 16" }
shift = { value = 0, description = "1: the step shifts; 0: it multiplies" }

[parameters]
TYPE = { values = ["char", "short", "int"], description = "type of the numbers, which is signed" }

[default]
TYPE = "int"

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

[[argument]]
name = "numbers"
kind = "in"
type = "i8"
count = "N"
init = { kind = "expression", value = "i % 101" }
[[argument]]
name = "bytes"
kind = "out"
type = "i8"
count = "N"
[[argument]]
name = "a"
kind = "scalar"
type = "i32"
value = "77"
[[argument]]
name = "b"
kind = "scalar"
type = "i32"
value = "29"
[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "steps"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "narrow_integers_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]

[work]
flops = "0"
bytes = "2 * N"
*/

using Number = signed TYPE;

extern "C" __global__ void __launch_bounds__(256)
    narrow_integers(const signed char* numbers, signed char* bytes, int a, int b, int steps, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const Number factor = static_cast<Number>(a), summand = static_cast<Number>(b);
  Number x = numbers[i];
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
#if SHIFT
    x = static_cast<Number>((x >> 1) + summand);
#else
    x = static_cast<Number>(x * factor + summand);
#endif
  }
  bytes[i] = static_cast<signed char>(x);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void narrow_integers_reference(const signed char* numbers, signed char* bytes, int a,
                                                     int b, int steps, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  unsigned x = static_cast<unsigned>(numbers[i]);
  for (int step = 0; step < steps; ++step)
    x = SHIFT ? static_cast<unsigned>((static_cast<int>(x) >> 1) + b) : x * a + b;
  bytes[i] = static_cast<signed char>(x);
}
#endif
