/* warptune
[kernel]
name = "gemm_tc"
description = "C = alpha A B + beta C on tensor cores, sums in single precision"
entry = "gemm_tc"
architecture_specific = true
defines = { IS_F16 = 'dtype == "f16"', IS_BF16 = 'dtype == "bf16"', IS_TF32 = 'dtype == "f32"', B_IS_KN = 'b_layout == "kn"', STAGED = 'EPILOGUE == "staged"', PINGPONG = 'SCHEDULE == "pingpong"', LOAD_ASYNC = 'LOAD == "async"' }
vendor = "the best of 16 heuristic choices of cublasLtMatmul with CUBLAS_COMPUTE_32F (f32: CUBLAS_COMPUTE_32F_FAST_TF32)"
about = """
`C = alpha A B + beta C`, all matrices row-major: A is M x K, C is M x N, and B is given as its transpose, N x K, as linear layers
keep their weights (`b_layout = "nk"`), or as K x N (`"kn"`). Inputs and output are of type `dtype`; products are summed in single
precision. For `f32` the tensor cores take the upper 19 bits of each input (TF32).

Two kernels compete under the parameter `VARIANT`:

- `mma` runs on every GPU that this project knows: tiles of A and B go through a ring of `STAGES` copies in shared memory, filled by
  asynchronous copies of 16 bytes, and warps multiply `BLOCK_M / WARPS_M` by `BLOCK_N / WARPS_N` of a tile each. Any size and any
  alignment; rows whose length is no multiple of 16 bytes are copied element by element, which is slow. Compute capability 7.5 has
  tensor cores for `f16` alone and computes the other types without.
- `wgmma` runs on compute capability 9.0 alone and is what reaches the vendor's speed there: the tensor memory accelerator fills the
  ring, one warpgroup keeps it running, and `CONSUMERS` warpgroups multiply. The blocks are persistent, and blocks of a cluster of
  `CLUSTER_M` by `CLUSTER_N` send each other what they share. It needs rows of A and B that are multiples of 16 bytes long
  (for `"kn"`, 16-bit types), and with `EPILOGUE = "staged"` rows of C as well.

With `beta = 0` C is not read. Other values take a slower way of writing C.
"""

[problem]
M = { value = 4096, description = "rows of A and C" }
N = { value = 4096, description = "columns of B and C" }
K = { value = 4096, description = "columns of A, rows of B" }
dtype = { value = "bf16", description = "of A, B and C; f32 is computed as TF32" }
b_layout = { value = "nk", description = "nk: B is N x K row-major; kn: it is K x N row-major" }

[problem_values]
dtype = ["f16", "bf16", "f32"]
b_layout = ["nk", "kn"]

[parameters]
BLOCK_M = { values = [64, 128, 192, 256], description = "rows of C of a tile" }
BLOCK_N = { values = [64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256], description = "columns of C of a tile" }
BLOCK_K = { values = [16, 32, 64, 128], description = "columns of A taken into shared memory at a time" }
STAGES = { values = [2, 3, 4, 5, 6, 7, 8], description = "tiles of A and B in shared memory" }
GROUP = { values = [1, 2, 4, 8, 16, 32], description = "tile rows (of clusters) that run together, to share A and B in the second-level cache" }
EPILOGUE = { values = ["direct", "staged"], description = "sums leave from registers, or through shared memory in whole lines" }
BLOCKS_PER_SM = { values = [1, 2, 3], description = "blocks an SM must be able to hold: bounds the registers" }
WARPS_M = { values = [1, 2, 4], when = 'VARIANT == "mma"', description = "warps along M of a tile" }
WARPS_N = { values = [1, 2, 4], when = 'VARIANT == "mma"', description = "warps along N of a tile" }
LOAD = { values = ["async", "registers"], when = 'VARIANT == "mma"', description = "how tiles reach shared memory: asynchronous copies, or loads kept in registers during a tile's products" }
CONSUMERS = { values = [1, 2, 3], when = 'VARIANT == "wgmma"', description = "warpgroups of a block that multiply" }
SCHEDULE = { values = ["cooperative", "pingpong"], when = 'VARIANT == "wgmma" && CONSUMERS == 2', description = "warpgroups share a tile, or take tiles in turn: one multiplies while the other writes" }
CLUSTER_M = { values = [1, 2, 4], when = 'VARIANT == "wgmma"', description = "tiles along M of a cluster; they share B" }
CLUSTER_N = { values = [1, 2], when = 'VARIANT == "wgmma"', description = "tiles along N of a cluster; they share A" }
BALANCED = { values = [false, true], when = 'VARIANT == "wgmma"', description = "no more persistent blocks than the rounds of tiles need" }

[constraints]
list = [
  { expression = "BLOCK_K * sizeof(dtype) >= 64 && BLOCK_K * sizeof(dtype) <= 256", reason = "two to eight steps along K" },
  { expression = "BLOCK_M * BLOCK_N <= 256 * 208", reason = "the sums of a tile fit into an SM's registers" },
  { expression = "VARIANT == \"wgmma\" || BLOCK_K * sizeof(dtype) <= 128", reason = "rows of tiles are swizzled within 128 bytes" },
  { expression = "VARIANT == \"wgmma\" || BLOCK_N % 32 == 0 && BLOCK_M % (32 * WARPS_M) == 0 && BLOCK_N % (32 * WARPS_N) == 0", reason = "a warp has whole instructions of a tile that is not flat" },
  { expression = "VARIANT == \"wgmma\" || BLOCK_M / WARPS_M * (BLOCK_N / WARPS_N) <= 4096 && max(BLOCK_M / WARPS_M, BLOCK_N / WARPS_N) <= 128", reason = "a warp's sums fit into registers" },
  { expression = "VARIANT == \"wgmma\" || WARPS_M * WARPS_N >= 2", reason = "one warp cannot hide its own loads" },
  { expression = "VARIANT == \"wgmma\" || BLOCK_M * BLOCK_K * sizeof(dtype) % (512 * WARPS_M * WARPS_N) == 0 && BLOCK_N * BLOCK_K * sizeof(dtype) % (512 * WARPS_M * WARPS_N) == 0", reason = "every thread copies the same part of a tile" },
  { expression = "VARIANT == \"wgmma\" || b_layout == \"nk\" || BLOCK_N * sizeof(dtype) % 128 == 0 && 32 * WARPS_M * WARPS_N % (BLOCK_N * sizeof(dtype) / 16) == 0", reason = "rows of B's tile are swizzled within 128 bytes, and a thread copies from one column" },
  { expression = "VARIANT == \"wgmma\" || (LOAD == \"registers\" ? STAGES == 2 : device_compute_capability >= 80)", reason = "asynchronous copies came with compute capability 8.0; registers hold one tile" },
  { expression = "VARIANT == \"wgmma\" || max(STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype), EPILOGUE == \"staged\" ? BLOCK_M * (BLOCK_N * sizeof(dtype) + 16) : 0) <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / BLOCKS_PER_SM - 1024)", reason = "the tiles, and those of C that leave through shared memory, fit into it" },
  { expression = "VARIANT == \"wgmma\" || BLOCK_M / WARPS_M * (BLOCK_N / WARPS_N) / 32 + BLOCK_M / WARPS_M / 2 + BLOCK_N / WARPS_N / 2 + (LOAD == \"registers\" ? (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) / (128 * WARPS_M * WARPS_N) : 0) + 32 <= min(255, device_registers_per_sm / (BLOCKS_PER_SM * 32 * WARPS_M * WARPS_N))", reason = "sums, operands and loads under way fit into registers" },
  { expression = "VARIANT == \"mma\" || device_compute_capability == 90", reason = "warpgroup instructions are those of compute capability 9.0" },
  { expression = "VARIANT == \"mma\" || K * sizeof(dtype) % 16 == 0 && (b_layout == \"nk\" || N * sizeof(dtype) % 16 == 0 && sizeof(dtype) == 2)", reason = "tensor maps need rows of whole 16 bytes; B is K x N for 16-bit types alone" },
  { expression = "VARIANT == \"mma\" || EPILOGUE == \"direct\" || N * sizeof(dtype) % 16 == 0", reason = "the tensor map of C needs rows of whole 16 bytes" },
  { expression = "VARIANT == \"mma\" || BLOCK_K * sizeof(dtype) >= 128", reason = "rows of tiles are 128 bytes, swizzled" },
  { expression = "VARIANT == \"mma\" || BLOCK_M % (SCHEDULE == \"pingpong\" ? 64 : 64 * CONSUMERS) == 0", reason = "an instruction has 64 rows" },
  { expression = "VARIANT == \"mma\" || BLOCK_M / (SCHEDULE == \"pingpong\" ? 64 : 64 * CONSUMERS) * BLOCK_N / 2 <= 208", reason = "a thread's sums fit into registers" },
  { expression = "VARIANT == \"mma\" || BLOCKS_PER_SM * (CONSUMERS + 1) <= 3 || BLOCK_N <= 192", reason = "an instruction's sums fit into 128 registers, as many as a thread has at first" },
  { expression = "VARIANT == \"mma\" || BLOCKS_PER_SM == 1 || BLOCKS_PER_SM == 2 && CONSUMERS == 1 && BLOCK_M * BLOCK_N <= 128 * 160", reason = "two blocks an SM are for one consumer each" },
  { expression = "VARIANT == \"mma\" || b_layout == \"nk\" || BLOCK_N % 64 == 0", reason = "tiles of B are made of 64 columns" },
  { expression = "VARIANT == \"mma\" || CLUSTER_M * CLUSTER_N <= 4 && BLOCK_N % (8 * CLUSTER_M) == 0", reason = "blocks of a cluster load equal parts of what they share" },
  { expression = "VARIANT == \"mma\" || STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) + (EPILOGUE == \"staged\" ? CONSUMERS * 128 * (BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32) : 0) + 16 * STAGES + 1024 <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / BLOCKS_PER_SM - 1024)", reason = "the tiles, and the pieces of C that leave through shared memory, fit into it" },
]

[default]
VARIANT = "mma"
BLOCK_M = 128
BLOCK_N = 128
BLOCK_K = 32
STAGES = 3
GROUP = 1
EPILOGUE = "direct"
BLOCKS_PER_SM = 1
WARPS_M = 2
WARPS_N = 2
LOAD = "async"
CONSUMERS = 1
SCHEDULE = "cooperative"
CLUSTER_M = 1
CLUSTER_N = 1
BALANCED = false

[launch]
grid = ["VARIANT == \"mma\" ? ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N) : CLUSTER_M * CLUSTER_N * min(ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), BALANCED ? ceil_div(ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), ceil_div(ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), max(1, device_sm_count * BLOCKS_PER_SM / (CLUSTER_M * CLUSTER_N)))) : max(1, device_sm_count * BLOCKS_PER_SM / (CLUSTER_M * CLUSTER_N)))"]
block = ["VARIANT == \"mma\" ? 32 * WARPS_M * WARPS_N : 128 * (CONSUMERS + 1)"]
shared_bytes = "VARIANT == \"mma\" ? max(STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype), EPILOGUE == \"staged\" ? BLOCK_M * (BLOCK_N * sizeof(dtype) + 16) : 0) : STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) + (EPILOGUE == \"staged\" ? CONSUMERS * 128 * (BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32) : 0) + 16 * STAGES + 1024"
cluster = ["CLUSTER_M * CLUSTER_N"]

[[variant]]
name = "mma"

[[variant]]
name = "wgmma"
source = "gemm_tc_wgmma.cuh"

[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "dtype"
count = "K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "inout"
type = "dtype"
count = "M * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "a_map"
kind = "tensor_map"
of = "a"
shape = ["K", "M"]
box = ["128 / sizeof(dtype)", "BLOCK_M / CLUSTER_N"]
swizzle = "128"
when = 'VARIANT == "wgmma"'

[[argument]]
name = "b_map"
kind = "tensor_map"
of = "b"
shape = ['b_layout == "nk" ? K : N', 'b_layout == "nk" ? N : K']
box = ["128 / sizeof(dtype)", 'b_layout == "nk" ? BLOCK_N / CLUSTER_M : BLOCK_K / CLUSTER_M']
swizzle = "128"
when = 'VARIANT == "wgmma"'

[[argument]]
name = "c_map"
kind = "tensor_map"
of = "c"
shape = ["N", "M"]
box = ["(BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32) / sizeof(dtype)", "64"]
swizzle = "BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32"
when = 'VARIANT == "wgmma" && EPILOGUE == "staged"'

[[argument]]
name = "m"
kind = "scalar"
type = "i64"
value = "M"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[[argument]]
name = "k"
kind = "scalar"
type = "i64"
value = "K"

[[argument]]
name = "alpha"
kind = "scalar"
type = "f32"
value = "1.0"

[[argument]]
name = "beta"
kind = "scalar"
type = "f32"
value = "0.0"

# 16-bit types: products are exact, and what C loses is its own rounding, half a unit (2^-11 of the value in f16, 2^-8 in bf16) in the
# result and in the reference each: relative 2^-10 and 2^-7. Sums of near zero show the additions: they grow like sqrt(K) / 3 and twice
# that at worst, tensor cores cut off what is below 2^-23 of the larger operand in each of K / 16 or K / 8 additions, all in one direction:
# 2^-23 / 8 K 2 sqrt(K) / 3 = 1e-8 K^1.5 if the sum were that large all the time; half as much on average.
# f32: the tensor cores cut off the lower 13 bits, up to 2^-10 and 3.5e-4 on average of each factor. The products' errors, 7.5e-4 of them in the
# mean square, add up like a random walk: 7.5e-4 sqrt(K) / 3 = 2.5e-4 sqrt(K) as standard deviation, whose largest in 10^8 elements
# is 6 times that. 2.5e-3 sqrt(K) leaves a factor of 1.6, and a product left out (0.25 on average) still shows up to K = 10000.
# 1e-3 more is for small K, where a few large products count.
[check]
reference = "entry"
entry = "gemm_tc_reference"
grid = ["ceil_div(N, 64)", "min(ceil_div(M, 64), 65535)"]
block = ["256"]
absolute = 'dtype == "f32" ? 1e-3 + 2.5e-3 * sqrt(K) : 1e-8 * K * sqrt(K) + 1e-6 * (K + 16)'
relative = 'dtype == "f32" ? 1e-3 : dtype == "f16" ? 0.001 : 0.008'

[work]
flops = "2 * M * N * K"
bytes = "sizeof(dtype) * (M * K + K * N + M * N)"
unit = "tensor"
*/

#if IS_BF16
#include <cuda_bf16.h>
#elif IS_F16
#include <cuda_fp16.h>
#endif

struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800 || __CUDA_ARCH__ == 750 && IS_F16)
#define TENSOR_CORES 1
#else
#define TENSOR_CORES 0
#endif

constexpr int kThreads = 32 * WARPS_M * WARPS_N;
constexpr int kElement = static_cast<int>(sizeof(dtype));
constexpr int kWord = 16 / kElement;  // elements of the 16 bytes that are copied at a time
constexpr int kWarpM = BLOCK_M / WARPS_M;
constexpr int kWarpN = BLOCK_N / WARPS_N;
constexpr int kTilesM = kWarpM / 16;  // of an instruction
constexpr int kTilesN = kWarpN / 8;
constexpr int kStep = 2 * kWord;  // of K, that one instruction multiplies
constexpr int kSteps = BLOCK_K / kStep;
constexpr int kBytesA = BLOCK_M * BLOCK_K * kElement;
constexpr int kStage = kBytesA + BLOCK_N * BLOCK_K * kElement;
[[maybe_unused]] constexpr int kPitchC = BLOCK_N * kElement + 16;  // of a tile of C in shared memory, in bytes

// A tile in shared memory: rows of `row_bytes`, whose words of 16 bytes are permuted so that eight words below each other, which an
// instruction reads together, are in different banks. `spread`: by how much a row's permutation differs from that of the row before.
template <int row_bytes, int spread>
struct Layout {
  static constexpr int kWords = row_bytes / 16;
  static constexpr int kBytes = row_bytes;
  __device__ __forceinline__ static int permutation(int row) { return row_bytes == 64 ? row >> 1 & 3 : row * spread & 7; }
  __device__ __forceinline__ static int offset(int row, int word) { return row * row_bytes + (word ^ permutation(row)) * 16; }
  __device__ __forceinline__ static int element(int row, int column) {
    return offset(row, column / kWord) + column % kWord * kElement;
  }
};
using LayoutA = Layout<BLOCK_K * kElement, 1>;
#if B_IS_KN
using LayoutB = Layout<BLOCK_N * kElement, IS_TF32 ? 2 : 1>;
constexpr int kRowsB = BLOCK_K;
#else
using LayoutB = Layout<BLOCK_K * kElement, 1>;
constexpr int kRowsB = BLOCK_N;
#endif

__device__ __forceinline__ unsigned shared_address(const char* pointer) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
#else
  return 0;
#endif
}

// Copies 16 bytes, or stores zeros where they do not exist.
__device__ __forceinline__ void copy_word(char* to, const dtype* from, bool exists) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0)
               : "memory");
#else
  const uint4 zero = {0, 0, 0, 0};
  *reinterpret_cast<uint4*>(to) = exists ? *reinterpret_cast<const uint4*>(from) : zero;
#endif
}

__device__ __forceinline__ uint4 load_word(const dtype* from, bool exists) {
  uint4 word = {0, 0, 0, 0};
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(word.x), "+r"(word.y), "+r"(word.z), "+r"(word.w)
               : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(exists)));
#else
  if (exists) word = *reinterpret_cast<const uint4*>(from);
#endif
  return word;
}

__device__ __forceinline__ void end_of_copies() {
#if LOAD_ASYNC && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_copies() {
#if LOAD_ASYNC && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

// A thread's part in bringing the tiles of one matrix, `rows` by `columns` with rows as they are in memory, into shared memory. Tiles
// follow each other along the columns or, with `down`, along the rows.
template <class Tile, int tile_rows, bool down>
struct Loader {
  static constexpr int kCount = tile_rows * Tile::kWords / kThreads;
  static constexpr int kBelow = kThreads / Tile::kWords;  // rows between a thread's words
  static constexpr int kColumns = Tile::kWords * kWord;

  const dtype* first;  // of the tile that comes next
  long long pitch, rows_left, columns_left;
  bool by_words;
#if !LOAD_ASYNC
  uint4 words[kCount];
#endif

  __device__ __forceinline__ Loader(const dtype* matrix, long long rows, long long columns, long long row, long long column)
      : first(matrix + row * columns + column),
        pitch(columns),
        rows_left(rows - row),
        columns_left(columns - column),
        by_words(columns % kWord == 0 && reinterpret_cast<size_t>(matrix) % 16 == 0) {}

  __device__ __forceinline__ void fetch(char* tile) {
    const int thread = static_cast<int>(threadIdx.x);
    if (by_words) {
      const int row = thread / Tile::kWords;
      const int word = thread % Tile::kWords;
      const bool in_columns = word * kWord < columns_left;
      const dtype* from = first + row * pitch + word * kWord;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const bool exists = in_columns && row + i * kBelow < rows_left;
#if LOAD_ASYNC
        copy_word(tile + Tile::offset(row + i * kBelow, word), exists ? from + i * kBelow * pitch : first, exists);
#else
        words[i] = load_word(from + i * kBelow * pitch, exists);
#endif
      }
    } else {
#pragma unroll 1
      for (int i = thread; i < tile_rows * kColumns; i += kThreads) {
        const int row = i / kColumns;
        const int column = i % kColumns;
        dtype* to = reinterpret_cast<dtype*>(tile + Tile::element(row, column));
        *to = row < rows_left && column < columns_left ? first[row * pitch + column] : static_cast<dtype>(0.0f);
      }
    }
    first += down ? tile_rows * pitch : kColumns;
    if (down) rows_left -= tile_rows;
    if (!down) columns_left -= kColumns;
  }

  // Stores what `fetch` has left in registers.
  __device__ __forceinline__ void store([[maybe_unused]] char* tile) {
#if !LOAD_ASYNC
    if (!by_words) return;
    const int row = static_cast<int>(threadIdx.x) / Tile::kWords;
    const int word = static_cast<int>(threadIdx.x) % Tile::kWords;
#pragma unroll
    for (int i = 0; i < kCount; ++i) *reinterpret_cast<uint4*>(tile + Tile::offset(row + i * kBelow, word)) = words[i];
#endif
  }
};

// The operands of a warp's instructions of one step.
struct Operands {
  unsigned a[kTilesM][4];
  unsigned b[kTilesN][2];
};
using Sums = float[kTilesM][kTilesN][4];

#if TENSOR_CORES
__device__ __forceinline__ void load_matrices(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void load_turned_matrices(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

__device__ __forceinline__ void multiply_tile(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ == 750
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#else
#if IS_BF16
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#elif IS_F16
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#else
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#endif
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}
#endif

// Takes a warp's operands of a step from a stage. `row` and `column` are the warp's first ones. Without tensor cores the operands are
// multiplied at once, as long as they exist.
__device__ __forceinline__ void take([[maybe_unused]] Operands& operands, [[maybe_unused]] Sums& sums, const char* stage, int row,
                                     int column, int step, [[maybe_unused]] bool exists) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if TENSOR_CORES
  const unsigned tile_a = shared_address(stage) + (row + lane % 16) * LayoutA::kBytes;
  const unsigned tile_b = shared_address(stage) + kBytesA;
  const int word_a = (step * 2 + lane / 16) ^ LayoutA::permutation(lane % 8);
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
    unsigned(&a)[4] = operands.a[i];
    load_matrices(a[0], a[1], a[2], a[3], tile_a + i * 16 * LayoutA::kBytes + word_a * 16);
  }
#pragma unroll
  for (int j = 0; j < kTilesN; j += 2) {
    unsigned(&b)[2] = operands.b[j];
    unsigned(&next)[2] = operands.b[j + 1];
#if !B_IS_KN
    const int word = (step * 2 + lane / 8 % 2) ^ LayoutB::permutation(lane % 8);
    const unsigned first = tile_b + (column + lane / 16 * 8 + lane % 8) * LayoutB::kBytes;
    load_matrices(b[0], b[1], next[0], next[1], first + j * 8 * LayoutB::kBytes + word * 16);
#elif !IS_TF32
    const int word = (column / 8 + j + lane / 16) ^ LayoutB::permutation(lane % 8);
    load_turned_matrices(b[0], b[1], next[0], next[1], tile_b + (step * 16 + lane % 16) * LayoutB::kBytes + word * 16);
#else
    // Eight words below each other are permuted, and the warp's first column is a multiple of them.
    const int word = (lane / 16 + j * 2 % 8) ^ LayoutB::permutation(lane % 4);
    const char* from = stage + kBytesA + (step * 8 + lane % 4) * LayoutB::kBytes + column * 4 + j / 4 * 128 + word * 16 + lane / 4 % 4 * 4;
    const char* from_next = from - word * 16 + (word ^ 2) * 16;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      b[half] = *reinterpret_cast<const unsigned*>(from + half * 4 * LayoutB::kBytes);
      next[half] = *reinterpret_cast<const unsigned*>(from_next + half * 4 * LayoutB::kBytes);
    }
#endif
  }
#else
  if (!exists) return;
#pragma unroll 1
  for (int i = 0; i < kStep; ++i) {
    const int depth = step * kStep + i;
    float b[kTilesN][2];
#pragma unroll
    for (int j = 0; j < kTilesN * 2; ++j) {
      const int at = column + j / 2 * 8 + lane % 4 * 2 + j % 2;
      const int offset = B_IS_KN ? LayoutB::element(depth, at) : LayoutB::element(at, depth);
      b[j / 2][j % 2] = static_cast<float>(*reinterpret_cast<const dtype*>(stage + kBytesA + offset));
    }
#pragma unroll
    for (int j = 0; j < kTilesM * 2; ++j) {
      const int at = row + j * 8 + lane / 4;
      const float a = static_cast<float>(*reinterpret_cast<const dtype*>(stage + LayoutA::element(at, depth)));
#pragma unroll
      for (int l = 0; l < kTilesN * 2; ++l) sums[j / 2][l / 2][j % 2 * 2 + l % 2] += a * b[l / 2][l % 2];
    }
  }
#endif
}

__device__ __forceinline__ void multiply([[maybe_unused]] Sums& sums, [[maybe_unused]] const Operands& operands) {
#if TENSOR_CORES
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      const int turned = i % 2 == 0 ? j : kTilesN - 1 - j;  // an operand at the turn is used twice in a row
      multiply_tile(sums[i][turned], operands.a[i], operands.b[turned]);
    }
  }
#endif
}

// Two neighbours of C, as they are stored.
union Pair {
  dtype item[2];
#if IS_TF32
  float2 word;
#else
  unsigned word;
#endif
};

__device__ __forceinline__ Pair pack(float low, float high) {
  Pair pair;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && IS_BF16
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair.word) : "f"(high), "f"(low));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && IS_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair.word) : "f"(high), "f"(low));
#else
  pair.item[0] = static_cast<dtype>(low);
  pair.item[1] = static_cast<dtype>(high);
#endif
  return pair;
}

// A predicate instead of a branch: the assembler takes long over many branches.
__device__ __forceinline__ void store_if(dtype* to, const Pair& pair, bool exists) {
#ifdef __CUDA_ARCH__
#if IS_TF32
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%0], {%1, %2}; }" ::"l"(__cvta_generic_to_global(to)),
               "f"(pair.word.x), "f"(pair.word.y), "r"(static_cast<int>(exists))
               : "memory");
#else
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%0], %1; }" ::"l"(__cvta_generic_to_global(to)),
               "r"(pair.word), "r"(static_cast<int>(exists))
               : "memory");
#endif
#else
  if (exists) *reinterpret_cast<Pair*>(to) = pair;
#endif
}

__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__ a, const dtype* __restrict__ b, dtype* __restrict__ c, const TensorMap, const TensorMap,
            const TensorMap, long long m, long long n, long long k, float alpha, float beta) {
  extern __shared__ uint4 shared_words[];
  char* stages = reinterpret_cast<char*>(shared_words);
  const int thread = static_cast<int>(threadIdx.x);

  // Blocks go down GROUP tile rows before they go on to the next tile column.
  const unsigned tiles_m = static_cast<unsigned>((m + BLOCK_M - 1) / BLOCK_M);
  const unsigned tiles_n = static_cast<unsigned>((n + BLOCK_N - 1) / BLOCK_N);
  const unsigned group = blockIdx.x / (GROUP * tiles_n);
  const unsigned in_group = blockIdx.x % (GROUP * tiles_n);
  const unsigned left = tiles_m - group * GROUP;
  const unsigned height = left < GROUP ? left : GROUP;
  const long long row0 = static_cast<long long>(group * GROUP + in_group % height) * BLOCK_M;
  const long long column0 = static_cast<long long>(in_group / height) * BLOCK_N;

  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = warp / WARPS_N * kWarpM;
  const int column = warp % WARPS_N * kWarpN;

  Loader<LayoutA, BLOCK_M, false> from_a(a, m, k, row0, 0);
#if B_IS_KN
  Loader<LayoutB, kRowsB, true> from_b(b, k, n, 0, column0);
#else
  Loader<LayoutB, kRowsB, false> from_b(b, n, k, column0, 0);
#endif

  Sums sums;
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4] = 0.0f;

  const long long tiles = (k + BLOCK_K - 1) / BLOCK_K;
#pragma unroll 1
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < tiles) {
      from_a.fetch(stages + i * kStage);
      from_b.fetch(stages + i * kStage + kBytesA);
      from_a.store(stages + i * kStage);
      from_b.store(stages + i * kStage + kBytesA);
    }
    end_of_copies();
  }
  wait_for_copies();
  __syncthreads();

  // The operands of a step are taken while the step before is multiplied, those of a tile's first step in the tile before.
  Operands operands[2];
  int stage = 0;
  int next = STAGES - 1;  // the stage that is filled next; nobody reads it any more
  take(operands[0], sums, stages, row, column, 0, true);
#pragma unroll 1
  for (long long tile = 0; tile < tiles; ++tile) {
    const bool more = tile + STAGES - 1 < tiles;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool last = step == kSteps - 1;
      if (last) {
        if (more) {
          from_a.store(stages + next * kStage);
          from_b.store(stages + next * kStage + kBytesA);
        }
        next = next == STAGES - 1 ? 0 : next + 1;
        wait_for_copies();
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      take(operands[(step + 1) % 2], sums, stages + stage * kStage, row, column, last ? 0 : step + 1, !last || tile + 1 < tiles);
      if (step == 0) {
        if (more) {
          from_a.fetch(stages + next * kStage);
          from_b.fetch(stages + next * kStage + kBytesA);
        }
        end_of_copies();
      }
      multiply(sums, operands[step % 2]);
    }
  }

  const int in_row = row + lane / 4;
  const int in_column = column + lane % 4 * 2;
#if STAGED
  if (beta == 0.0f && n % kWord == 0 && reinterpret_cast<size_t>(c) % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN * 2; ++j) {
        const float* pair = sums[i][j / 2] + j % 2 * 2;
        char* to = stages + (in_row + i * 16 + j % 2 * 8) * kPitchC + (in_column + j / 2 * 8) * kElement;
        *reinterpret_cast<Pair*>(to) = pack(alpha * pair[0], alpha * pair[1]);
      }
    }
    __syncthreads();
    constexpr int words = BLOCK_N / kWord;
#pragma unroll 4
    for (int i = thread; i < BLOCK_M * words; i += kThreads) {
      const int at_row = i / words;
      const int at_word = i % words;
      if (row0 + at_row < m && column0 + at_word * kWord < n) {
        *reinterpret_cast<uint4*>(c + (row0 + at_row) * n + column0 + at_word * kWord) =
            *reinterpret_cast<const uint4*>(stages + at_row * kPitchC + at_word * 16);
      }
    }
    return;
  }
#else
  if (beta == 0.0f && n % 2 == 0 && reinterpret_cast<size_t>(c) % (2 * kElement) == 0) {
    dtype* corner = c + (row0 + in_row) * n + column0 + in_column;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN * 2; ++j) {
        const float* pair = sums[i][j / 2] + j % 2 * 2;
        const int down = i * 16 + j % 2 * 8;
        const int across = j / 2 * 8;
        store_if(corner + down * n + across, pack(alpha * pair[0], alpha * pair[1]),
                 row0 + in_row + down < m && column0 + in_column + across < n);
      }
    }
    return;
  }
#endif
  // Any alignment and any beta: a loop that is not unrolled, over sums in local memory.
  float kept[kTilesM * kTilesN * 4];
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) kept[i] = sums[i / 4 / kTilesN][i / 4 % kTilesN][i % 4];
#pragma unroll 1
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) {
    const long long at_row = row0 + in_row + i / 4 / kTilesN * 16 + i % 4 / 2 * 8;
    const long long at_column = column0 + in_column + i / 4 % kTilesN * 8 + i % 2;
    if (at_row >= m || at_column >= n) continue;
    dtype* to = c + at_row * n + at_column;
    float value = alpha * kept[i];
    if (beta != 0.0f) value += beta * static_cast<float>(*to);
    *to = static_cast<dtype>(value);
  }
}

#ifdef WARPTUNE_REFERENCE
// A block has 64 x 64 of C, a thread 4 x 4. Sixteen products at a time are added in single precision (exact products for 16-bit types), and
// those sums in double.
__global__ void gemm_tc_reference(const dtype* a, const dtype* b, dtype* c, const TensorMap, const TensorMap, const TensorMap,
                                  long long m, long long n, long long k, float alpha, float beta) {
  __shared__ float a_tile[16 * 64];
  __shared__ float b_tile[16 * 64];
  const int thread = static_cast<int>(threadIdx.x);
  const long long column0 = static_cast<long long>(blockIdx.x) * 64;
  for (long long row0 = static_cast<long long>(blockIdx.y) * 64; row0 < m; row0 += static_cast<long long>(gridDim.y) * 64) {
    double sums[4][4] = {};
    for (long long depth = 0; depth < k; depth += 16) {
      for (int i = thread; i < 64 * 16; i += 256) {
        const long long at = depth + i % 16;
        const long long row = row0 + i / 16;
        a_tile[i % 16 * 64 + i / 16] = row < m && at < k ? static_cast<float>(a[row * k + at]) : 0.0f;
        const long long at_b = depth + (B_IS_KN ? i / 64 : i % 16);
        const long long column = column0 + (B_IS_KN ? i % 64 : i / 16);
        b_tile[(at_b - depth) * 64 + column - column0] =
            column < n && at_b < k ? static_cast<float>(b[B_IS_KN ? at_b * n + column : column * k + at_b]) : 0.0f;
      }
      __syncthreads();
      float parts[4][4] = {};
      for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) {
          parts[j / 4][j % 4] += a_tile[i * 64 + thread / 16 + j / 4 * 16] * b_tile[i * 64 + thread % 16 + j % 4 * 16];
        }
      }
      for (int j = 0; j < 16; ++j) sums[j / 4][j % 4] += static_cast<double>(parts[j / 4][j % 4]);
      __syncthreads();
    }
    for (int j = 0; j < 16; ++j) {
      const long long row = row0 + thread / 16 + j / 4 * 16;
      const long long column = column0 + thread % 16 + j % 4 * 16;
      if (row >= m || column >= n) continue;
      double value = static_cast<double>(alpha) * sums[j / 4][j % 4];
      if (beta != 0.0f) value += static_cast<double>(beta) * static_cast<double>(static_cast<float>(c[row * n + column]));
      c[row * n + column] = static_cast<dtype>(static_cast<float>(value));
    }
  }
}
#endif
