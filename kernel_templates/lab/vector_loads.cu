/* warptune
[kernel]
name = "vector_loads"
description = "out = in by loads of 4, 8 or 16 bytes: float, float2 or float4"
about = """
This is the plainest copy: a thread loads one vector of VECTOR floats and stores it. A load of 128 bits takes one
instruction, like one of 4 bytes. So a quarter of the threads and instructions move the same bytes in the same 32-byte
sectors.

BLOCKS_PER_SM = 0 starts a thread for every vector. Otherwise BLOCKS_PER_SM blocks stay on each SM and loop over the
vectors. Then few warps are resident, and each waits for its vectors before it requests the next ones. So the number of
bytes that a warp has in flight decides the bandwidth. LOADS is the number of vectors that a thread loads before it
stores any of them.
"""
entry = "vector_loads"

[problem]
N = { value = 67108864, description = "elements" }

[parameters]
VECTOR = { values = [1, 2, 4], description = "floats that one load takes" }
LOADS = { values = [1, 2, 4], description = "vectors that a thread loads before it stores any" }
BLOCKS_PER_SM.values = [0, 1, 2, 4, 8]
BLOCKS_PER_SM.description = "blocks that stay on an SM; 0: a thread for every LOADS vectors"
BLOCK = { values = [64, 128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = "N % (VECTOR * LOADS * BLOCK) == 0", reason = "the grid consists of whole blocks" },
  { expression = "N < 2147483648", reason = "elements are numbered by 32-bit integers" },
  { expression = "BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm", reason = "all blocks are resident" },
]

[default]
VECTOR = 1
LOADS = 1
BLOCKS_PER_SM = 0
BLOCK = 256

[launch]
grid = ["BLOCKS_PER_SM == 0 ? N / (VECTOR * LOADS * BLOCK) : BLOCKS_PER_SM * device_sm_count"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "u32"
value = "N"

[check]
reference = "expression"
expression = "in[i]"
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "2 * N * 4"
*/

#if VECTOR == 1
using Vector = float;
#elif VECTOR == 2
using Vector = float2;
#else
using Vector = float4;
#endif

// The block's vectors from `first` on; neighbouring threads take neighbouring vectors.
__device__ __forceinline__ void copy_vectors(const Vector* __restrict__ from, Vector* __restrict__ to,
                                             unsigned first) {
  Vector vectors[LOADS];
#pragma unroll
  for (int i = 0; i < LOADS; ++i) vectors[i] = from[first + i * BLOCK + threadIdx.x];
#pragma unroll
  for (int i = 0; i < LOADS; ++i) to[first + i * BLOCK + threadIdx.x] = vectors[i];
}

__global__ void __launch_bounds__(BLOCK)
    vector_loads(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
  const Vector* from = reinterpret_cast<const Vector*>(in);
  Vector* to = reinterpret_cast<Vector*>(out);
  constexpr unsigned kOfBlock = BLOCK * LOADS;
#if BLOCKS_PER_SM == 0
  copy_vectors(from, to, blockIdx.x * kOfBlock);
#else
#pragma unroll 1
  for (unsigned first = blockIdx.x * kOfBlock; first < n / VECTOR; first += gridDim.x * kOfBlock)
    copy_vectors(from, to, first);
#endif
}
