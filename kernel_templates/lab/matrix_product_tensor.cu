/* warptune
[kernel]
name = "matrix_product_tensor"
entry = "from_global"
description = "C = A B in bfloat16 on tensor cores, from global memory, from shared memory, or with asynchronous copies"
about = """
The kernels compute `C = A B` of bfloat16 matrices with sums in single precision, with whole tiles of 128 x 128. A is M
x K and row-major. B is given as its transpose, N x K, as linear layers store their weights. Eight warps compute a tile.
Each computes 64 x 32 elements of it by `mma.sync` of 16 x 8 x 16:

- `global`: lanes read their operands from global memory, four bytes at a time.
- `shared`: tiles of 128 x 32 of A and B are copied to shared memory, from where `ldmatrix` loads operands for the whole
  warp.
- `async`: `cp.async` fills a ring of four such tiles.

Rows of a tile in shared memory are 80 bytes apart, so that the eight rows that `ldmatrix` reads at a time are in
different banks.
"""

[problem]
M = { value = 4096, description = "rows of A and C, a multiple of 128" }
N = { value = 4096, description = "columns of B and C, a multiple of 128" }
K = { value = 4096, description = "columns of A and of B's transpose, a multiple of 32" }

[parameters]

[constraints]
list = [
  { expression = "M % 128 == 0 && N % 128 == 0 && K % 32 == 0", reason = """\
    the code only handles whole tiles, which keeps it short""" },
  { expression = "device_compute_capability >= 80", reason = """\
    mma.sync of bfloat16 exists from compute capability 8.0""" },
]

[default]
VARIANT = "global"

[launch]
grid = ["N / 128", "M / 128"]
block = ["256"]
shared_bytes = 'VARIANT == "async" ? 4 * 256 * 80 : 0'

[[variant]]
name = "global"
entry = "from_global"
[[variant]]
name = "shared"
entry = "from_shared"
[[variant]]
name = "async"
entry = "asynchronous"

[[argument]]
name = "a"
kind = "in"
type = "bf16"
count = "M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "bf16"
count = "N * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "bf16"
count = "M * N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[[argument]]
name = "k"
kind = "scalar"
type = "i32"
value = "K"

# Products are exact. C's error is mostly its own rounding, which together with the reference's is 2^-8 relative. Near
# zero, the errors of additions matter, too. In each of K / 16 steps, tensor cores cut off what is below 2^-23 of the
# sum. Together that is 1e-8 K^1.5, and the tolerance is twice that.
[check]
reference = "entry"
entry = "matrix_product_tensor_reference"
grid = ["N / 32", "M / 8"]
block = ["32", "8"]
absolute = "2e-8 * K * sqrt(K) + 1e-5"
relative = 0.008

[work]
flops = "2 * M * N * K"
bytes = "2 * (M * K + K * N + M * N)"
unit = "tensor"
*/
#include <cuda_bf16.h>

using Element = __nv_bfloat16;

constexpr int kStep = 32;   // of K at a time
constexpr int kPitch = 40;  // elements between rows in shared memory
constexpr int kTile = 128 * kPitch;
constexpr int kStage = 2 * kTile;  // A's tile, then B's

__device__ __forceinline__ unsigned pair_at(const Element* from) {
  return *reinterpret_cast<const unsigned*>(from);
}

// A warp's 64 x 32 elements of C: four tiles of 16 rows by four of 8 columns.
struct Sums {
  float of[4][4][4] = {};

  __device__ __forceinline__ void add_products(const unsigned (&a)[4][4], const unsigned (&b)[4][2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        float(&c)[4] = of[i][j];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
      }
    }
#endif
  }

  __device__ __forceinline__ void write(Element* c, int n, int row, int column) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        Element* to = c + (row + i * 16 + lane / 4) * n + column + j * 8 + lane % 4 * 2;
        *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(of[i][j][0], of[i][j][1]);
        *reinterpret_cast<__nv_bfloat162*>(to + 8 * n) = __floats2bfloat162_rn(of[i][j][2], of[i][j][3]);
      }
    }
  }
};

// Where a warp's part of the block's tile begins.
__device__ __forceinline__ int warp_row() { return static_cast<int>(threadIdx.x) / 32 / 4 * 64; }
__device__ __forceinline__ int warp_column() { return static_cast<int>(threadIdx.x) / 32 % 4 * 32; }

__global__ void __launch_bounds__(256)
    from_global(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ c, int n,
                int k) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.y * 128 + warp_row();
  const int column = blockIdx.x * 128 + warp_column();
  const Element* a_place = a + (row + lane / 4) * k + lane % 4 * 2;
  const Element* b_place = b + (column + lane / 4) * k + lane % 4 * 2;
  Sums sums;
#pragma unroll 1
  for (int first = 0; first < k; first += 16) {
    unsigned of_a[4][4], of_b[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Element* from = a_place + i * 16 * k + first;
      of_a[i][0] = pair_at(from);
      of_a[i][1] = pair_at(from + 8 * k);
      of_a[i][2] = pair_at(from + 8);
      of_a[i][3] = pair_at(from + 8 * k + 8);
      of_b[i][0] = pair_at(b_place + i * 8 * k + first);
      of_b[i][1] = pair_at(b_place + i * 8 * k + first + 8);
    }
    sums.add_products(of_a, of_b);
  }
  sums.write(c, n, row, column);
}

// Four matrices of 8 x 8; each lane names one row of one of them.
__device__ __forceinline__ void load_matrices(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                              const Element* row) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
#endif
}

__device__ __forceinline__ void add_products_of(Sums& sums, const Element* stage) {
  const int lane = threadIdx.x % 32;
  const Element* a_place = stage + (warp_row() + lane % 16) * kPitch + lane / 16 * 8;
  const Element* b_place =
      stage + kTile + (warp_column() + lane / 16 * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8;
#pragma unroll
  for (int first = 0; first < kStep; first += 16) {
    unsigned of_a[4][4], of_b[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      load_matrices(of_a[i][0], of_a[i][1], of_a[i][2], of_a[i][3], a_place + i * 16 * kPitch + first);
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      load_matrices(of_b[j][0], of_b[j][1], of_b[j + 1][0], of_b[j + 1][1], b_place + j * 8 * kPitch + first);
    }
    sums.add_products(of_a, of_b);
  }
}

__global__ void __launch_bounds__(256)
    from_shared(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ c, int n,
                int k) {
  __shared__ __align__(16) Element stage[kStage];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128 * k;
  Sums sums;
#pragma unroll 1
  for (int first = 0; first < k; first += kStep) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = (threadIdx.x + i * 256) / 4;
      const int element = threadIdx.x % 4 * 8;
      Element* to = stage + row * kPitch + element;
      const int from = row * k + first + element;
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(a + from);
      *reinterpret_cast<uint4*>(to + kTile) = *reinterpret_cast<const uint4*>(b + from);
    }
    __syncthreads();
    add_products_of(sums, stage);
    __syncthreads();
  }
  sums.write(c, n, blockIdx.y * 128 + warp_row(), blockIdx.x * 128 + warp_column());
}

__device__ __forceinline__ void copy_async_16(Element* to, const Element* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#endif
}

__device__ __forceinline__ void begin_copies(Element* stage, const Element* a, const Element* b, int k) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = (threadIdx.x + i * 256) / 4;
    const int element = threadIdx.x % 4 * 8;
    copy_async_16(stage + row * kPitch + element, a + row * k + element);
    copy_async_16(stage + kTile + row * kPitch + element, b + row * k + element);
  }
}

__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_all_copies_but_two() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 2;" ::: "memory");
#endif
}

__global__ void __launch_bounds__(256)
    asynchronous(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ c, int n,
                 int k) {
  extern __shared__ __align__(16) Element ring[];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128 * k;
  Sums sums;
  for (int i = 0; i < 3; ++i) {
    if (i * kStep < k) begin_copies(ring + i * kStage, a + i * kStep, b + i * kStep, k);
    commit_copies();
  }
#pragma unroll 1
  for (int step = 0; step < k / kStep; ++step) {
    wait_for_all_copies_but_two();
    __syncthreads();  // the tile is there for all threads, and all are done with the one before, which is filled next
    const int next = step + 3;
    if (next < k / kStep) begin_copies(ring + next % 4 * kStage, a + next * kStep, b + next * kStep, k);
    commit_copies();
    add_products_of(sums, ring + step % 4 * kStage);
  }
  sums.write(c, n, blockIdx.y * 128 + warp_row(), blockIdx.x * 128 + warp_column());
}

#ifdef WARPTUNE_REFERENCE
__global__ void matrix_product_tensor_reference(const Element* a, const Element* b, Element* c, int n,
                                                int k) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  double sum = 0.0;
  for (int i = 0; i < k; i += 8) {
    const uint4 of_a = *reinterpret_cast<const uint4*>(a + row * k + i);
    const uint4 of_b = *reinterpret_cast<const uint4*>(b + column * k + i);
    const Element* a_item = reinterpret_cast<const Element*>(&of_a);
    const Element* b_item = reinterpret_cast<const Element*>(&of_b);
    float of_8 = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) of_8 += __bfloat162float(a_item[j]) * __bfloat162float(b_item[j]);
    sum += of_8;
  }
  c[row * n + column] = __float2bfloat16(static_cast<float>(sum));
}
#endif
