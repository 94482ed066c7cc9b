/* warptune
[kernel]
name = "integer_arithmetic"
description = "sums of quotients or remainders of integers by one divisor, computed in several ways"
about = """
Each thread divides `evaluations` consecutive integers by the same divisor. It adds up the quotients or the remainders.
Both give the same output: the sum of the integers rounded down to multiples of the divisor. It is the sum of the
quotients times the divisor. It is also the sum of the integers (a closed form) minus the sum of the remainders. So one
reference checks all methods.

The divisor is a literal in the source, or an argument that the compiler does not know. Other methods use no division.
Where the divisor is a power of two, they use a shift and a mask. For 32-bit unsigned integers and any divisor, they
multiply by a reciprocal that the host has computed. `divide_invariant` divides by the same unknown number in the whole
loop, so the compiler can form its reciprocal once. `divide_variable` and `modulo_variable` add `change` to the divisor
from thread to thread and after every division. `change` is zero, but the compiler does not know that.
"""
entry = "integer_arithmetic"
defines.EVALUATIONS = "evaluations"
defines.DIVISOR = "divisor"
defines.LOG2_DIVISOR = "is_pow2(divisor) ? log2(divisor) : 0"
defines.DIVIDE_CONSTANT = 'METHOD == "divide_constant"'
defines.DIVIDE_INVARIANT = 'METHOD == "divide_invariant"'
defines.DIVIDE_VARIABLE = 'METHOD == "divide_variable"'
defines.SHIFT = 'METHOD == "shift"'
defines.RECIPROCAL = 'METHOD == "reciprocal"'
defines.MODULO_CONSTANT = 'METHOD == "modulo_constant"'
defines.MODULO_VARIABLE = 'METHOD == "modulo_variable"'

[problem]
N = { value = 1048576, description = "threads" }
evaluations = { value = 256, description = "divisions per thread" }
dtype = { value = "u32", description = "type of the integers" }
divisor = { value = 10, description = "the divisor" }
bits = { value = 30, description = "the integers are below 2 to this power" }

[problem_values]
dtype = ["u32", "i32", "u64", "i64"]

[parameters]
METHOD.values = [
  "divide_constant", "divide_invariant", "divide_variable", "shift", "reciprocal", "modulo_constant", "modulo_variable",
  "mask",
]
METHOD.description = """\
  quotients by a literal, an argument that stays the same or may change, a shift, or a reciprocal; remainders by a \
  literal, an argument that may change, or a mask"""
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = 'is_pow2(divisor) || METHOD != "shift" && METHOD != "mask"', reason = """\
    shifts and masks only divide by powers of two""" },
  { expression = 'METHOD != "reciprocal" || dtype == "u32"', reason = """\
    the reciprocal has 32 bits and is for unsigned integers""" },
]

[default]
METHOD = "divide_variable"
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "first"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "expression", value = "floor(u * pow(2, bits))", seed = 1 }

[[argument]]
name = "multiples"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "divisor"
kind = "scalar"
type = "dtype"
value = "divisor"

[[argument]]
name = "change"
kind = "scalar"
type = "dtype"
value = "0"

# These are floor(2^32 (2^l - divisor) / divisor) + 1 and l - 1, where l is the number of bits of divisor - 1.
[[argument]]
name = "multiplier"
kind = "scalar"
type = "u32"
value = "floor(pow(2, 32) * (pow(2, 0 - floor(0 - log2(divisor))) - divisor) / divisor) + 1"

[[argument]]
name = "shift"
kind = "scalar"
type = "i32"
value = "0 - floor(0 - log2(divisor)) - 1"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Integers are exact.
[check]
reference = "entry"
entry = "integer_arithmetic_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]

# A division counts as one operation. These are not floating-point operations, so shares of the roof mean nothing here.
[work]
flops = "N * evaluations"
bytes = "2 * N * sizeof(dtype)"
*/

// Sums wrap round.
template <class T>
struct UnsignedOf {
  using Type = unsigned int;
};
template <>
struct UnsignedOf<unsigned long long> {
  using Type = unsigned long long;
};
template <>
struct UnsignedOf<long long> {
  using Type = unsigned long long;
};
using Sum = UnsignedOf<dtype>::Type;

extern "C" __global__ void __launch_bounds__(BLOCK)
    integer_arithmetic(const dtype* __restrict__ first, dtype* __restrict__ multiples, dtype divisor,
                       dtype change, unsigned int multiplier, int shift, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const dtype x = first[i];
  [[maybe_unused]] dtype present_divisor = divisor + change * threadIdx.x;
  Sum sum = 0;
#pragma unroll 4
  for (int r = 0; r < EVALUATIONS; ++r) {
    const dtype value = x + r;
#if DIVIDE_CONSTANT
    sum += static_cast<Sum>(value / static_cast<dtype>(DIVISOR));
#elif DIVIDE_INVARIANT
    sum += static_cast<Sum>(value / divisor);
#elif DIVIDE_VARIABLE
    sum += static_cast<Sum>(value / present_divisor);
    present_divisor += change;
#elif SHIFT
    sum += static_cast<Sum>(value >> LOG2_DIVISOR);
#elif RECIPROCAL
    const unsigned int high = __umulhi(value, multiplier);
    sum += (((value - high) >> 1) + high) >> shift;
#elif MODULO_CONSTANT
    sum += static_cast<Sum>(value % static_cast<dtype>(DIVISOR));
#elif MODULO_VARIABLE
    sum += static_cast<Sum>(value % present_divisor);
    present_divisor += change;
#else
    sum += static_cast<Sum>(value & static_cast<dtype>(DIVISOR - 1));
#endif
  }
#if DIVIDE_CONSTANT || DIVIDE_INVARIANT || DIVIDE_VARIABLE || SHIFT || RECIPROCAL
  multiples[i] = static_cast<dtype>(sum * static_cast<Sum>(divisor));
#else
  const Sum all = static_cast<Sum>(x) * EVALUATIONS + EVALUATIONS * (EVALUATIONS - 1) / 2;
  multiples[i] = static_cast<dtype>(all - sum);
#endif
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void integer_arithmetic_reference(const dtype* first, dtype* multiples, dtype divisor,
                                                        dtype, unsigned int, int, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  Sum sum = 0;
#pragma unroll 1
  for (int r = 0; r < EVALUATIONS; ++r) {
    const dtype value = first[i] + r;
    sum += static_cast<Sum>(value - value % divisor);
  }
  multiples[i] = static_cast<dtype>(sum);
}
#endif
