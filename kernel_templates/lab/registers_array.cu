/* warptune
[kernel]
name = "registers_array"
description = "16 counters per thread; each step increments one of them by its index"
entry = "registers_array"
about = """
Each thread draws STEPS pseudo-random numbers and counts how many fall into each of 16 classes. Registers have no
addresses, so an array whose index is known only at run time goes to local memory (PLACE = local). The same array stays
in registers where every index is known when the kernel is compiled. Then each step compares its number with every
counter's class (register). In shared memory each thread may have a column of its own, which the bank of its lane serves
without conflicts (shared).
"""
defines = { IN_SHARED = 'PLACE == "shared"', IN_REGISTERS = 'PLACE == "register"' }

[problem]
STEPS = { value = 512, description = "numbers that a thread counts" }

[parameters]
PLACE = { values = ["local", "register", "shared"], description = "where the counters are" }

[default]
PLACE = "local"

[launch]
grid = ["device_sm_count * 16"]
block = ["128"]

[[argument]]
name = "in"
kind = "in"
type = "u32"
count = "device_sm_count * 2048"
init = { kind = "uniform", low = 0, high = 2147483000, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "u32"
count = "device_sm_count * 2048"

[[argument]]
name = "steps"
kind = "scalar"
type = "i32"
value = "STEPS"

# The counts are integers, so they are exact.
[check]
reference = "configuration"

[work]
flops = "0"
bytes = "8 * device_sm_count * 2048"
*/
#if IN_SHARED
#define COUNT(index) counts[(index)*128 + threadIdx.x]
#else
#define COUNT(index) counts[index]
#endif

extern "C" __global__ void __launch_bounds__(128)
    registers_array(const unsigned* in, unsigned* out, int steps) {
#if IN_SHARED
  __shared__ unsigned counts[16 * 128];
#else
  unsigned counts[16];
#endif
#pragma unroll
  for (int k = 0; k < 16; ++k) COUNT(k) = 0;
  const int i = blockIdx.x * 128 + threadIdx.x;
  unsigned state = in[i] * 2654435761u + i;
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
    state = state * 1664525u + 1013904223u;
    const unsigned index = state >> 28;
#if IN_REGISTERS
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if (index == k) counts[k] += 1;
    }
#else
    COUNT(index) += 1;
#endif
  }
  // Weighted, so that every counter tells.
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += (k + 1) * COUNT(k) * COUNT(k);
  out[i] = sum;
}
