/* warptune
[kernel]
name = "shared_memory_banks"
description = "every thread adds up the 1024 words of its block in shared memory; lanes start STRIDE words apart"
about = """
Shared memory has 32 banks, each four bytes wide. Word w lies in bank w mod 32, and a bank delivers one word per cycle.
Here every thread reads all 1024 words of its block and adds them up. Neighbouring lanes begin STRIDE words apart and
continue word by word. So all accesses of a warp have that stride in every step. The sum, the number of loads and the
bytes read are the same for every STRIDE.

With STRIDE = 32, the lanes of a warp read a column of a tile whose rows are 32 words long. This column lies in one
bank. STRIDE = 33 is the same column of a tile whose rows are padded by one word. With STRIDE = 0 all lanes read the
same word. WIDTH is the number of words of one load: int, int2 or int4.
"""
entry = "shared_memory_banks"

[problem]
N = { value = 262144, description = "threads" }

[parameters]
STRIDE.values = [0, 1, 2, 4, 8, 16, 32, 33, 34, 36]
STRIDE.description = "words from one lane's first word to the next lane's"
WIDTH = { values = [1, 2, 4], description = "words per load" }
BLOCK = { values = [256], description = "threads per block" }

[constraints]
list = [
  { expression = "STRIDE % WIDTH == 0", reason = "vectors are aligned to their size" },
  { expression = "N % BLOCK == 0", reason = "the grid consists of whole blocks" },
]

[default]
STRIDE = 1
WIDTH = 1
BLOCK = 256

[launch]
grid = ["N / BLOCK"]
block = ["BLOCK"]

# Each block reads 1024 words.
[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "4 * N"
init = { kind = "uniform", low = -1000.0, high = 1000.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "i32"
count = "N"

# This is where lane 0 begins. The compiler must not know it. Otherwise it would combine the loads of a lane that begins
# at a multiple of four words.
[[argument]]
name = "start"
kind = "scalar"
type = "u32"
value = "0"

# Sums of integers are exact.
[check]
reference = "entry"
entry = "shared_memory_banks_reference"
grid = ["N / 256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "20 * N"
*/

constexpr unsigned kWords = 1024;

#if WIDTH == 1
using Vector = int;
__device__ __forceinline__ int total(Vector v) { return v; }
#elif WIDTH == 2
using Vector = int2;
__device__ __forceinline__ int total(Vector v) { return v.x + v.y; }
#else
using Vector = int4;
__device__ __forceinline__ int total(Vector v) { return v.x + v.y + v.z + v.w; }
#endif

__global__ void __launch_bounds__(BLOCK)
    shared_memory_banks(const int* __restrict__ in, int* __restrict__ out, unsigned start) {
  // The first 32 words stand once more behind the last: a run of 32 words may begin anywhere.
  __shared__ alignas(16) int words[kWords + 32];
#pragma unroll
  for (unsigned i = 0; i < kWords; i += BLOCK)
    words[i + threadIdx.x] = in[blockIdx.x * kWords + i + threadIdx.x];
  if (threadIdx.x < 32) words[kWords + threadIdx.x] = in[blockIdx.x * kWords + threadIdx.x];
  __syncthreads();

  int sum = 0;
  unsigned first = (threadIdx.x % 32 * STRIDE + start) % kWords;
#pragma unroll 1
  for (unsigned run = 0; run < kWords / 32; ++run) {
    const Vector* vectors = reinterpret_cast<const Vector*>(words + first);
#pragma unroll
    for (int i = 0; i < 32 / WIDTH; ++i) sum += total(vectors[i]);
    first = (first + 32) % kWords;
  }
  out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void shared_memory_banks_reference(const int* in, int* out, unsigned) {
  int sum = 0;
  for (int i = 0; i < 1024; ++i) sum += in[blockIdx.x * 1024 + i];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
#endif
