/* warptune
[kernel]
name = "memories"
description = "sums of products with a small table that is in one of several memories"
about = """
Every thread multiplies its own number by all entries of the same table and adds up the products, as a filter does with
its coefficients. It does that `passes` times, with half of the number each time. The table is small enough for every
cache. Configurations differ in where the table is and by which instruction it is read (MEMORY). They also differ in
which entries the threads of a warp read at the same time: DISTINCT different ones, SPREAD words from one to the next.
Thread t starts at entry (t mod DISTINCT) * SPREAD. After the table's end, its entries are repeated from the beginning,
so that indices need not wrap around. So every thread takes all entries, wherever it starts. With INDEX = known, all
threads start at entry 0. The compiler knows that, and so it knows each address. Otherwise it does not even know that
threads read the same entry where DISTINCT is 1.

With MEMORY = `constant`, the table is a `__constant__` array. `texture` is a texture over the table. `plain` is a
pointer, and `restrict` is a pointer that is `const` and `__restrict__`. `read_only` is a pointer that is read by
`__ldg`. `shared` is a copy in shared memory that each block makes first.
"""
entry = "memories"
defines.ENTRIES = "entries"
defines.WORDS = "entries + 256"
defines.PASSES = "passes"
defines.INDEX_KNOWN = 'INDEX == "known"'
defines.MEMORY_CONSTANT = 'MEMORY == "constant"'
defines.MEMORY_RESTRICT = 'MEMORY == "restrict"'
defines.MEMORY_READ_ONLY = 'MEMORY == "read_only"'
defines.MEMORY_TEXTURE = 'MEMORY == "texture"'
defines.MEMORY_SHARED = 'MEMORY == "shared"'

[problem]
N = { value = 524288, description = "threads" }
entries = { value = 64, description = "entries of the table" }
passes = { value = 8, description = "passes of a thread over the table" }

[parameters]
MEMORY.values = ["plain", "restrict", "read_only", "texture", "constant", "shared"]
MEMORY.description = "where the table is, and how it is read"
INDEX.values = ["unknown", "known"]
INDEX.description = "whether the compiler knows that all threads of a warp read the same entry"
DISTINCT.values = [1, 2, 4, 8, 16, 32]
DISTINCT.when = 'INDEX == "unknown"'
DISTINCT.description = "different entries that a warp reads at the same time"
SPREAD = { values = [1, 8], when = "DISTINCT > 1", description = "words from one of these entries to the next" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = "DISTINCT * SPREAD <= 256", reason = "256 words are repeated after the table's end" },
  { expression = 'INDEX == "unknown" || MEMORY == "constant"', reason = """\
    the compiler would keep known entries of other memories in registers""" },
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
type = "f32"
count = "entries + 256"
init = { kind = "expression", value = "(i % entries) * 40503 % 65521 / 65521.0 - 0.5" }

# These are the same numbers again. They are copied to the constant array and are not a parameter of the kernel.
[[argument]]
name = "constant_table"
kind = "in"
type = "f32"
count = "entries + 256"
init = { kind = "expression", value = "(i % entries) * 40503 % 65521 / 65521.0 - 0.5" }
symbol = "constant_table"

[[argument]]
name = "texture"
kind = "texture"
of = "table"

[[argument]]
name = "numbers"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "sums"
kind = "out"
type = "f32"
count = "N"

# This is zero, but the compiler does not know that.
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

# Let n = entries * passes. A sum of n products in any order errs by at most n 2^-24 times the sum of their absolute
# values. That sum is below `entries`, because each entry is below 1/2 and the numbers of all passes add up to less than
# 2.
[check]
reference = "entry"
entry = "memories_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = "entries * passes * pow(2, -24) * entries"
relative = 0.0

# A lookup takes one multiply-add.
[work]
flops = "2 * N * entries * passes"
bytes = "8 * N"
*/

__constant__ float constant_table[WORDS];

#if MEMORY_RESTRICT
#define INPUT_POINTER const float* __restrict__
#define OUTPUT_POINTER float* __restrict__
#else
#define INPUT_POINTER const float*
#define OUTPUT_POINTER float*
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    memories(INPUT_POINTER table, cudaTextureObject_t texture, INPUT_POINTER numbers, OUTPUT_POINTER sums,
             int zero, int n) {
#if MEMORY_SHARED
  __shared__ float shared_table[WORDS];
  for (int entry = threadIdx.x; entry < WORDS; entry += BLOCK) shared_table[entry] = table[entry];
  __syncthreads();
#endif
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float number = numbers[i];
#if INDEX_KNOWN
  const int start = 0;
#else
  const int start = static_cast<int>(threadIdx.x & (DISTINCT - 1 + zero)) * SPREAD + zero;
#endif
  float sum = 0.0f;
#pragma unroll 1
  for (int pass = 0; pass < PASSES; ++pass) {
#if INDEX_KNOWN
#pragma unroll
#else
#pragma unroll 16
#endif
    for (int r = 0; r < ENTRIES; ++r) {
#if MEMORY_CONSTANT
      const float entry = constant_table[start + r];
#elif MEMORY_SHARED
      const float entry = shared_table[start + r];
#elif MEMORY_TEXTURE
      const float entry = tex1Dfetch<float>(texture, start + r);
#elif MEMORY_READ_ONLY
      const float entry = __ldg(table + start + r);
#else
      const float entry = table[start + r];
#endif
      sum = fmaf(entry, number, sum);
    }
    number *= 0.5f;
  }
  sums[i] = sum;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void memories_reference(const float* table, cudaTextureObject_t, const float* numbers,
                                              float* sums, int, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  double factor = 0.0;
  for (int r = 0; r < ENTRIES; ++r) factor += table[r];
  double sum = 0.0, number = numbers[i];
  for (int pass = 0; pass < PASSES; ++pass, number /= 2) sum += number * factor;
  sums[i] = static_cast<float>(sum);
}
#endif
