/* warptune
[kernel]
name = "memories"
description = "sums over a small table that lies in one of several memories"
about = """
Every thread adds up all entries of the same table of integers, one lookup after the other, and writes the sum. The table is
small enough for every cache. What differs is where it lies and by which instruction it is read (MEMORY), and which entries the
threads of a warp read at the same time: DISTINCT different ones, SPREAD words from one to the next. Thread t starts at entry (t
mod DISTINCT) * SPREAD; the table is stored twice in a row, so that nothing has to wrap round, and every thread reads all
entries whatever its start. With INDEX = known all start at entry 0 and the compiler knows it; else it does not even know that
where DISTINCT is 1.

`constant` is a `__constant__` array, `texture` a texture over the table, `plain` a pointer, `restrict` a pointer that is
`const` and `__restrict__`, `read_only` a pointer read by `__ldg`, and `shared` a copy in shared memory that each block makes
first.
"""
entry = "memories"
defines = { ENTRIES = "entries", INDEX_KNOWN = 'INDEX == "known"', MEMORY_CONSTANT = 'MEMORY == "constant"', MEMORY_RESTRICT = 'MEMORY == "restrict"', MEMORY_READ_ONLY = 'MEMORY == "read_only"', MEMORY_TEXTURE = 'MEMORY == "texture"', MEMORY_SHARED = 'MEMORY == "shared"' }

[problem]
N = { value = 524288, description = "threads" }
entries = { value = 256, description = "entries of the table, lookups of a thread" }

[parameters]
MEMORY = { values = ["plain", "restrict", "read_only", "texture", "constant", "shared"], description = "where the table lies, and how it is read" }
INDEX = { values = ["unknown", "known"], description = "whether the compiler knows that all threads of a warp read the same entry" }
DISTINCT = { values = [1, 2, 4, 8, 16, 32], when = 'INDEX == "unknown"', description = "different entries that a warp reads at the same time" }
SPREAD = { values = [1, 8], when = "DISTINCT > 1", description = "words from one of these entries to the next" }
BLOCK = { values = [128, 256, 512], description = "threads a block" }

[constraints]
list = [
  { expression = "DISTINCT * SPREAD <= entries", reason = "a thread starts within the table's first copy" },
]

[default]
MEMORY = "plain"
INDEX = "unknown"
DISTINCT = 1
SPREAD = 1
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "table"
kind = "in"
type = "u32"
count = "2 * entries"
init = { kind = "expression", value = "(i % entries) * 40503 % 65521" }

# The same numbers once more, copied to the constant array: no parameter of the kernel.
[[argument]]
name = "constant_table"
kind = "in"
type = "u32"
count = "2 * entries"
init = { kind = "expression", value = "(i % entries) * 40503 % 65521" }
symbol = "constant_table"

[[argument]]
name = "texture"
kind = "texture"
of = "table"

[[argument]]
name = "sums"
kind = "out"
type = "u32"
count = "N"

# Zero, which the compiler does not know.
[[argument]]
name = "zero"
kind = "scalar"
type = "i32"
value = "0"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Integers: exact.
[check]
reference = "entry"
entry = "memories_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]

# One operation a lookup. They are no floating-point operations: shares of the roof mean nothing here.
[work]
flops = "N * entries"
bytes = "N * 4"
*/

__constant__ unsigned int constant_table[2 * ENTRIES];

#if MEMORY_RESTRICT
#define TABLE_POINTER const unsigned int* __restrict__
#define SUMS_POINTER unsigned int* __restrict__
#else
#define TABLE_POINTER const unsigned int*
#define SUMS_POINTER unsigned int*
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) memories(TABLE_POINTER table, cudaTextureObject_t texture, SUMS_POINTER sums,
                                                               int zero, int n) {
#if MEMORY_SHARED
  __shared__ unsigned int shared_table[2 * ENTRIES];
  for (int entry = threadIdx.x; entry < 2 * ENTRIES; entry += BLOCK) shared_table[entry] = table[entry];
  __syncthreads();
#endif
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
#if INDEX_KNOWN
  const int start = 0;
#else
  const int start = static_cast<int>(threadIdx.x & (DISTINCT - 1 + zero)) * SPREAD + zero;
#endif
  unsigned int sum = 0;
#pragma unroll 16
  for (int r = 0; r < ENTRIES; ++r) {
#if MEMORY_CONSTANT
    sum += constant_table[start + r];
#elif MEMORY_SHARED
    sum += shared_table[start + r];
#elif MEMORY_TEXTURE
    sum += tex1Dfetch<unsigned int>(texture, start + r);
#elif MEMORY_READ_ONLY
    sum += __ldg(table + start + r);
#else
    sum += table[start + r];
#endif
  }
  sums[i] = sum ^ static_cast<unsigned int>(i);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void memories_reference(const unsigned int* table, cudaTextureObject_t, unsigned int* sums, int, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  unsigned int sum = 0;
  for (int r = 0; r < ENTRIES; ++r) sum += table[r];
  sums[i] = sum ^ static_cast<unsigned int>(i);
}
#endif
