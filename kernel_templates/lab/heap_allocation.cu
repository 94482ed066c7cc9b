/* warptune
[kernel]
name = "heap_allocation"
description = "loops of a thread that need a small buffer, which is allocated in each round, once, or not at all"
entry = "heap_allocation"
about = """
In each of `rounds` rounds, a thread writes 16 numbers to a buffer of its own and adds them up again. With BUFFER =
"each_round", the thread allocates the buffer with `malloc` in each round and frees it again. With "once", it does this
before and after the loop. "given" is a part of a buffer that the host has allocated. "local" is an array of the thread.
"""
defines.EACH_ROUND = 'BUFFER == "each_round"'
defines.ONCE = 'BUFFER == "once"'
defines.GIVEN = 'BUFFER == "given"'

[problem]
N = { value = 16384, description = "threads" }
rounds = { value = 16, description = "rounds of a thread" }

[parameters]
BUFFER = { values = ["each_round", "once", "given", "local"], description = "where the buffer comes from" }

[default]
BUFFER = "given"

[launch]
grid = ["ceil_div(N, 128)"]
block = ["128"]

[[argument]]
name = "numbers"
kind = "in"
type = "u32"
count = "N"
init = { kind = "expression", value = "i * 40503 % 65521" }
[[argument]]
name = "sums"
kind = "out"
type = "u32"
count = "N"
[[argument]]
name = "given"
kind = "scratch"
type = "u32"
count = "16 * N"
[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "rounds"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "heap_allocation_reference"
grid = ["ceil_div(N, 128)"]
block = ["128"]

[work]
flops = "0"
bytes = "8 * N"
*/

// Which number of the buffer comes next depends on data, so that the buffer cannot be replaced by registers.
__device__ __forceinline__ unsigned of_round(unsigned* buffer, unsigned number, unsigned sum) {
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) buffer[i] = number + i;
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) sum += buffer[(i + number) % 16] * (i + 1);
  return sum;
}

extern "C" __global__ void __launch_bounds__(128)
    heap_allocation(const unsigned* numbers, unsigned* sums, unsigned* given, int rounds, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const unsigned number = numbers[i];
  unsigned sum = 0;
#if ONCE
  unsigned* const buffer = static_cast<unsigned*>(malloc(64));
  if (buffer == nullptr) return;
#elif GIVEN
  unsigned* const buffer = given + 16 * i;
#elif !EACH_ROUND
  unsigned buffer[16];
#endif
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#if EACH_ROUND
    unsigned* const buffer = static_cast<unsigned*>(malloc(64));
    if (buffer == nullptr) return;
#endif
    sum = of_round(buffer, number + round, sum);
#if EACH_ROUND
    free(buffer);
#endif
  }
#if ONCE
  free(buffer);
#endif
  sums[i] = sum;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void heap_allocation_reference(const unsigned* numbers, unsigned* sums, unsigned*,
                                                     int rounds, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  unsigned buffer[16];
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) sum = of_round(buffer, numbers[i] + round, sum);
  sums[i] = sum;
}
#endif
