/* warptune
[kernel]
name = "stride"
description = "out = in, with neighbouring threads STRIDE elements apart"
about = """
The kernel copies all N elements and visits them in steps of STRIDE. It passes over the vector STRIDE times. Pass p
takes the elements whose index leaves the same remainder. So every element moves exactly once, whatever the stride is.
What changes is how many 32-byte sectors the 32 threads of a warp touch: 4 with a stride of one, 8 with two, 32 from a
stride of eight on.

ACCESS says which side is strided: loads, stores, or both. OFFSET moves all accesses along by some elements, so that
warps no longer start where a sector starts.
"""
entry = "stride"
defines = { STRIDED_LOADS = 'ACCESS != "store"', STRIDED_STORES = 'ACCESS != "load"' }

[problem]
N = { value = 67108864, description = "elements" }

[parameters]
STRIDE = { values = [1, 2, 4, 8, 16, 32], description = "elements from one thread's to the next thread's" }
OFFSET = { values = [0, 1, 4, 8, 17], description = "elements by which all accesses are moved" }
ACCESS = { values = ["load", "store", "both"], description = "the side that is strided" }
ITEMS = { values = [1, 4], description = "elements per thread" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = "N % (STRIDE * ITEMS * BLOCK) == 0", reason = "every pass consists of whole blocks" },
  { expression = "N < 2147483648", reason = "elements are numbered by 32-bit integers" },
]

[default]
STRIDE = 1
OFFSET = 0
ACCESS = "both"
ITEMS = 4
BLOCK = 256

[launch]
grid = ["N / (STRIDE * ITEMS * BLOCK)", "STRIDE"]
block = ["BLOCK"]

# Every element is its own index: see the kernel.
[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "N"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "out"
kind = "out"
type = "i32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "u32"
value = "N"

[check]
reference = "expression"
expression = "in[i]"

[work]
flops = "0"
bytes = "2 * N * 4"
*/

// Where pass `pass` begins. Passes whose elements share a sector follow each other as late as can be, so that
// L2 holds none of the first one's sectors any more: 0, 8, 16, 24, 1, 9, ... for a stride
// of 32.
__device__ __forceinline__ unsigned start_of_pass(unsigned pass) {
  constexpr unsigned kSectors = STRIDE > 8 ? STRIDE / 8 : 1;
  return pass % kSectors * 8 + pass / kSectors;
}

__device__ __forceinline__ unsigned moved(unsigned index, unsigned n) {
#if OFFSET > 0
  index += OFFSET;
  if (index >= n) index -= n;
#endif
  return index;
}

__global__ void __launch_bounds__(BLOCK)
    stride(const int* __restrict__ in, int* __restrict__ out, unsigned n) {
  const unsigned pass = blockIdx.y;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const unsigned index = (blockIdx.x * ITEMS + item) * BLOCK + threadIdx.x;
    const unsigned strided = moved(index * STRIDE + start_of_pass(pass), n);
    const unsigned dense = moved(pass * (n / STRIDE) + index, n);
    const unsigned from = STRIDED_LOADS ? strided : dense;
    const unsigned to = STRIDED_STORES ? strided : dense;
    // Where only one side is strided, elements change places. As each is its own index, adding the distance
    // makes it that of its new place: out = in again, and the check finds every element that came from
    // elsewhere.
    out[to] = in[from] + static_cast<int>(to - from);
  }
}
