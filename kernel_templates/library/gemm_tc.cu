/* warptune
[kernel]
name = "gemm_tc"
description = "C = alpha A B + beta C on tensor cores, with sums in single precision"
entry = "gemm_tc"
architecture_specific = true
defines.IS_F16 = 'dtype == "f16"'
defines.IS_BF16 = 'dtype == "bf16"'
defines.IS_TF32 = 'dtype == "f32"'
defines.B_IS_KN = 'b_layout == "kn"'
defines.STAGED = 'EPILOGUE == "staged"'
defines.PINGPONG = 'SCHEDULE == "pingpong"'
defines.LOAD_ASYNC = 'LOAD == "async"'
defines.LOAD_TMA = 'LOAD == "tma"'
defines.PADDED_TILES = """\
  VARIANT == "mma" && LOAD == "async" \
  && (K * sizeof(dtype) % 16 != 0 || b_layout == "kn" && N * sizeof(dtype) % 16 != 0)"""
defines.SHIFTED_TILES = """\
  VARIANT == "mma" && LOAD == "registers" \
  && (K * sizeof(dtype) % 16 != 0 || b_layout == "kn" && N * sizeof(dtype) % 16 != 0)"""
defines.PADDED_MAPS = """\
  (VARIANT == "wgmma" || LOAD == "tma") \
  && (K * sizeof(dtype) % 16 != 0 || b_layout == "kn" && N * sizeof(dtype) % 16 != 0)"""
defines.ODD_ROWS = "N % 2 != 0"
hints = ["PADDED_TILES", "SHIFTED_TILES", "ODD_ROWS"]
recommended = "gemm_tc.recommended.toml"
vendor = """\
  the best of 16 heuristic choices of cublasLtMatmul with CUBLAS_COMPUTE_32F (f32: CUBLAS_COMPUTE_32F_FAST_TF32)"""
about = """
Computes `C = alpha A B + beta C`. All matrices are row-major. A is M x K and C is M x N. B is given as its transpose, N
x K (`b_layout = "nk"`), as linear layers keep their weights, or as K x N (`"kn"`). Inputs and output have the type
`dtype`, and products are summed in single precision. For `f32` the tensor cores use the upper 19 bits of each input
(TF32).

Two kernels compete under the parameter `VARIANT`:

- `mma` runs on every GPU that warptune supports. Tiles of A and B go through a ring of `STAGES` buffers in shared
  memory. Asynchronous copies of 16 bytes, tensor maps (from compute capability 9.0 on) or loads through registers fill
  the ring. Each warp computes `BLOCK_M / WARPS_M` rows by `BLOCK_N / WARPS_N` columns of a tile of C. Every size and
  every alignment works. Compute capability 7.5 has tensor cores only for `f16` and computes the other types without
  them.
- `wgmma` runs only on compute capability 9.0, where it reaches the vendor's speed. The tensor memory accelerator fills
  the ring. One warpgroup starts the copies, and `CONSUMER_WARPGROUPS` warpgroups multiply. The blocks are persistent.
  The blocks of a cluster of `CLUSTER_M` by `CLUSTER_N` send each other the data that they share. For `"kn"`, only
  16-bit types work. With `EPILOGUE = "staged"` rows of C must be multiples of 16 bytes long.

If the rows of A or B are not multiples of 16 bytes long, a kernel before this one copies the operand into scratch
memory, where its rows are. Only `LOAD = "registers"` reads such rows as they are: as aligned words of 4 bytes, which it
shifts into place. That is faster for small matrices.

If C has few tiles and K is long, `SPLIT_K` blocks share a tile. Each takes a part of K and writes its sums in single
precision. A second kernel, `gemm_tc_add_parts`, adds them always in the same order.

With `beta = 0` C is not read. With other values of beta, C is written in a slower way.
"""

[problem]
M = { value = 4096, description = "rows of A and C" }
N = { value = 4096, description = "columns of B and C" }
K = { value = 4096, description = "columns of A, rows of B" }
dtype = { value = "bf16", description = "type of A, B and C; f32 is computed as TF32" }
b_layout = { value = "nk", description = "nk: B is N x K row-major; kn: it is K x N row-major" }

[problem_values]
dtype = ["f16", "bf16", "f32"]
b_layout = ["nk", "kn"]

[parameters]
BLOCK_M = { values = [64, 128, 192, 256], description = "rows of C per tile" }
BLOCK_N.values = [64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256]
BLOCK_N.description = "columns of C per tile"
BLOCK_K = { values = [16, 32, 64, 128], description = "columns of A that are copied to shared memory at a time" }
STAGES = { values = [2, 3, 4, 5, 6, 7, 8], description = "stages in shared memory, each for a tile of A and of B" }
GROUP_SIZE_M.values = [1, 2, 4, 8, 16, 32]
GROUP_SIZE_M.description = """\
  rows of tiles (or of clusters) whose blocks run at the same time, so that they share A and B in L2"""
EPILOGUE.values = ["direct", "staged"]
EPILOGUE.description = """\
  how sums are written: directly from registers, or staged in shared memory and written in whole lines"""
SPLIT_K.values = [1, 2, 4, 8, 16, 32, 64, 128]
SPLIT_K.description = "blocks that share a tile of C; each takes a part of K"
BLOCKS_PER_SM.values = [1, 2, 3]
BLOCKS_PER_SM.description = "blocks that an SM must be able to hold; this limits the registers per thread"
WARPS_M = { values = [1, 2, 4], when = 'VARIANT == "mma"', description = "warps per tile along M" }
WARPS_N = { values = [1, 2, 4], when = 'VARIANT == "mma"', description = "warps per tile along N" }
LOAD.values = ["async", "registers", "tma"]
LOAD.when = 'VARIANT == "mma"'
LOAD.description = """\
  how tiles reach shared memory: by asynchronous copies, by loads that stay in registers during the products of a \
  tile, or by the tensor memory accelerator, in persistent blocks"""
INTERLEAVE_COPIES.values = [false, true]
INTERLEAVE_COPIES.when = 'VARIANT == "mma" && LOAD == "async"'
INTERLEAVE_COPIES.description = "whether copies are issued between the products of a tile instead of before them"
CONSUMER_WARPGROUPS.values = [1, 2, 3]
CONSUMER_WARPGROUPS.when = 'VARIANT == "wgmma"'
CONSUMER_WARPGROUPS.description = "warpgroups per block that multiply"
SCHEDULE.values = ["cooperative", "pingpong"]
SCHEDULE.when = 'VARIANT == "wgmma" && CONSUMER_WARPGROUPS == 2'
SCHEDULE.description = """\
  cooperative: the consumer warpgroups share a tile; pingpong: they take tiles in turn, so that one multiplies while \
  the other writes"""
CLUSTER_M.values = [1, 2, 4]
CLUSTER_M.when = 'VARIANT == "wgmma"'
CLUSTER_M.description = "tiles per cluster along M; they share B"
CLUSTER_N = { values = [1, 2], when = 'VARIANT == "wgmma"', description = "tiles per cluster along N; they share A" }
BALANCE_WAVES.values = [false, true]
BALANCE_WAVES.when = 'VARIANT == "wgmma"'
BALANCE_WAVES.description = """\
  whether fewer persistent blocks are launched if the number of waves stays the same, so that the last wave is full, \
  too"""

[constraints]
list = [
  { reason = "a tile has two to eight steps along K", expression = """\
      BLOCK_K * sizeof(dtype) >= 64 && BLOCK_K * sizeof(dtype) <= 256""" },
  { reason = "every block has at least four steps along K", expression = "SPLIT_K == 1 || SPLIT_K * BLOCK_K * 4 <= K" },
  { reason = "a split half as large would leave SMs without work", expression = """\
      SPLIT_K == 1 || SPLIT_K * CLUSTER_M * CLUSTER_N * ceil_div(M, BLOCK_M * CLUSTER_M) \
      * ceil_div(N, BLOCK_N * CLUSTER_N) < 2 * device_sm_count * BLOCKS_PER_SM""" },
  { reason = "the sums of a part of K are not staged", expression = 'SPLIT_K == 1 || EPILOGUE == "direct"' },
  { expression = "BLOCK_M * BLOCK_N <= 256 * 208", reason = "the sums of a tile fit into an SM's registers" },
  { reason = "the rows of tiles are swizzled within 128 bytes, so they cannot be longer", expression = """\
      VARIANT == "wgmma" || BLOCK_K * sizeof(dtype) <= 128""" },
  { reason = "a warp computes multiples of 32 rows and 32 columns, which are whole instructions", expression = """\
      VARIANT == "wgmma" || BLOCK_N % 32 == 0 && BLOCK_M % (32 * WARPS_M) == 0 && BLOCK_N % (32 * WARPS_N) == 0""" },
  { reason = "the sums of a warp fit into its registers", expression = """\
      VARIANT == "wgmma" || BLOCK_M / WARPS_M * (BLOCK_N / WARPS_N) <= 4096 \
      && max(BLOCK_M / WARPS_M, BLOCK_N / WARPS_N) <= 128""" },
  { expression = 'VARIANT == "wgmma" || WARPS_M * WARPS_N >= 2', reason = "one warp cannot hide its own loads" },
  { reason = "every thread copies an equal part of a tile", expression = """\
      VARIANT == "wgmma" || BLOCK_M * BLOCK_K * sizeof(dtype) % (512 * WARPS_M * WARPS_N) == 0 \
      && BLOCK_N * BLOCK_K * sizeof(dtype) % (512 * WARPS_M * WARPS_N) == 0""" },
  { reason = """\
      the rows of B's tile are swizzled within 128 bytes, and all words that a thread copies are permuted in the same \
      way""", expression = """\
      VARIANT == "wgmma" || b_layout == "nk" || BLOCK_N * sizeof(dtype) % 128 == 0 \
      && WARPS_M * WARPS_N >= BLOCK_N / 32 && 512 * WARPS_M * WARPS_N % (BLOCK_N * sizeof(dtype)) == 0""" },
  { reason = """\
      asynchronous copies need compute capability 8.0, tensor maps need 9.0, and registers hold only one \
      tile""", expression = """\
      VARIANT == "wgmma" || (LOAD == "registers" ? STAGES == 2 \
      : device_compute_capability >= (LOAD == "tma" ? 90 : 80))""" },
  { reason = "tensor maps load B only as N x K here", expression = 'LOAD != "tma" || b_layout == "nk"' },
  { reason = "the tiles and the staged rows of C fit into shared memory", expression = """\
      VARIANT == "wgmma" || (LOAD == "tma" ? STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) \
      + (EPILOGUE == "staged" ? 16 * WARPS_M * (BLOCK_N * sizeof(dtype) + 16 * WARPS_N) : 0) + 16 * STAGES + 1024 \
      : max(STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype), \
      EPILOGUE == "staged" ? 16 * WARPS_M * (BLOCK_N * sizeof(dtype) + 16 * WARPS_N) : 0)) \
      <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / BLOCKS_PER_SM - 1024)""" },
  { reason = "the sums, operands and pending loads of a thread fit into its registers", expression = """\
      VARIANT == "wgmma" || BLOCK_M / WARPS_M * (BLOCK_N / WARPS_N) / 32 + BLOCK_M / WARPS_M / 2 \
      + BLOCK_N / WARPS_N / 2 + (LOAD == "registers" \
      ? (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) / (128 * WARPS_M * WARPS_N) : 0) + 32 \
      <= min(255, device_registers_per_sm / (BLOCKS_PER_SM * 32 * WARPS_M * WARPS_N))""" },
  { reason = "warpgroup instructions exist only on compute capability 9.0", expression = """\
      VARIANT == "mma" || device_compute_capability == 90""" },
  { reason = "B can be K x N only for 16-bit types", expression = """\
      VARIANT == "mma" || b_layout == "nk" || sizeof(dtype) == 2""" },
  { reason = "the tensor map of C needs rows whose length is a multiple of 16 bytes", expression = """\
      VARIANT == "mma" || EPILOGUE == "direct" || N * sizeof(dtype) % 16 == 0""" },
  { reason = "tiles consist of swizzled rows of 128 bytes", expression = """\
      VARIANT == "mma" || BLOCK_K * sizeof(dtype) >= 128""" },
  { reason = "an instruction computes 64 rows", expression = """\
      VARIANT == "mma" || BLOCK_M % (SCHEDULE == "pingpong" ? 64 : 64 * CONSUMER_WARPGROUPS) == 0""" },
  { reason = "the sums of a thread fit into its registers", expression = """\
      VARIANT == "mma" || BLOCK_M / (SCHEDULE == "pingpong" ? 64 : 64 * CONSUMER_WARPGROUPS) * BLOCK_N / 2 <= 208""" },
  { reason = "the sums of an instruction fit into the 128 registers with which a thread starts", expression = """\
      VARIANT == "mma" || BLOCKS_PER_SM * (CONSUMER_WARPGROUPS + 1) <= 3 || BLOCK_N <= 192""" },
  { reason = "where an SM holds two blocks, each block has one consumer warpgroup", expression = """\
      VARIANT == "mma" || BLOCKS_PER_SM == 1 || BLOCKS_PER_SM == 2 && CONSUMER_WARPGROUPS == 1 \
      && BLOCK_M * BLOCK_N <= 128 * 160""" },
  { reason = "tiles of B consist of groups of 64 columns", expression = """\
      VARIANT == "mma" || b_layout == "nk" || BLOCK_N % 64 == 0""" },
  { reason = "blocks of a cluster load equal parts of what they share", expression = """\
      VARIANT == "mma" || CLUSTER_M * CLUSTER_N <= 4 && BLOCK_N % (8 * CLUSTER_M) == 0""" },
  { reason = "the tiles and the staged boxes of C fit into shared memory", expression = """\
      VARIANT == "mma" || STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) \
      + (EPILOGUE == "staged" ? CONSUMER_WARPGROUPS * 128 \
      * (BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32) : 0) + 16 * STAGES \
      + 1040 <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / BLOCKS_PER_SM - 1024)""" },
]

[default]
VARIANT = "mma"
BLOCK_M = 128
BLOCK_N = 128
BLOCK_K = 32
STAGES = 3
GROUP_SIZE_M = 1
EPILOGUE = "direct"
SPLIT_K = 1
BLOCKS_PER_SM = 1
WARPS_M = 2
WARPS_N = 2
LOAD = "async"
INTERLEAVE_COPIES = false
CONSUMER_WARPGROUPS = 1
SCHEDULE = "cooperative"
CLUSTER_M = 1
CLUSTER_N = 1
BALANCE_WAVES = false

[launch]
grid = ["""\
  VARIANT == "mma" ? min(SPLIT_K * ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N), \
  LOAD == "tma" ? device_sm_count * BLOCKS_PER_SM : 2147483647) \
  : CLUSTER_M * CLUSTER_N * min(SPLIT_K * ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), \
  BALANCE_WAVES ? ceil_div(SPLIT_K * ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), \
  ceil_div(SPLIT_K * ceil_div(M, BLOCK_M * CLUSTER_M) * ceil_div(N, BLOCK_N * CLUSTER_N), \
  max(1, device_sm_count * BLOCKS_PER_SM / (CLUSTER_M * CLUSTER_N)))) \
  : max(1, device_sm_count * BLOCKS_PER_SM / (CLUSTER_M * CLUSTER_N)))"""]
block = ['VARIANT == "mma" ? 32 * WARPS_M * WARPS_N : 128 * (CONSUMER_WARPGROUPS + 1)']
shared_bytes = """\
  VARIANT == "mma" ? (LOAD == "tma" ? STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) \
  + (EPILOGUE == "staged" ? 16 * WARPS_M * (BLOCK_N * sizeof(dtype) + 16 * WARPS_N) : 0) + 16 * STAGES + 1024 \
  : max(STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype), \
  EPILOGUE == "staged" ? 16 * WARPS_M * (BLOCK_N * sizeof(dtype) + 16 * WARPS_N) : 0)) \
  : STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * sizeof(dtype) \
  + (EPILOGUE == "staged" ? CONSUMER_WARPGROUPS * 128 \
  * (BLOCK_N * sizeof(dtype) % 128 == 0 ? 128 : BLOCK_N * sizeof(dtype) % 64 == 0 ? 64 : 32) : 0) + 16 * STAGES \
  + 1040"""
cluster = ["CLUSTER_M * CLUSTER_N"]

[[launch.before]]
entry = "gemm_tc_pad"
grid = ["""\
  max(1, (K * sizeof(dtype) % 16 != 0 ? ceil_div(M * ceil_div(K * sizeof(dtype), 16), 1024) : 0) \
  + (b_layout == "nk" ? (K * sizeof(dtype) % 16 != 0 ? ceil_div(N * ceil_div(K * sizeof(dtype), 16), 1024) : 0) \
  : N * sizeof(dtype) % 16 != 0 ? ceil_div(K * ceil_div(N * sizeof(dtype), 16), 1024) : 0))"""]
block = ["256"]
when = """\
  LOAD != "registers" \
  && (K * sizeof(dtype) % 16 != 0 || b_layout == "kn" && N * sizeof(dtype) % 16 != 0)"""

[[launch.after]]
entry = "gemm_tc_add_parts"
grid = ["min(ceil_div(M * ceil_div(N, 2), 256 / min(SPLIT_K, 8)), 8192)"]
block = ["256"]
when = "SPLIT_K > 1"

[[variant]]
name = "mma"
source = "gemm_tc_mma.cuh"

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
box = ['VARIANT == "wgmma" ? 128 / sizeof(dtype) : BLOCK_K', "BLOCK_M / CLUSTER_N"]
swizzle = 'VARIANT == "wgmma" ? 128 : BLOCK_K * sizeof(dtype)'
when = '(VARIANT == "wgmma" || LOAD == "tma") && K * sizeof(dtype) % 16 == 0'

[[argument]]
name = "b_map"
kind = "tensor_map"
of = "b"
shape = ['b_layout == "nk" ? K : N', 'b_layout == "nk" ? N : K']
box = [
  'VARIANT == "wgmma" ? 128 / sizeof(dtype) : BLOCK_K',
  'b_layout == "nk" ? BLOCK_N / CLUSTER_M : BLOCK_K / CLUSTER_M',
]
swizzle = 'VARIANT == "wgmma" ? 128 : BLOCK_K * sizeof(dtype)'
when = '(VARIANT == "wgmma" || LOAD == "tma") && (b_layout == "nk" ? K : N) * sizeof(dtype) % 16 == 0'

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

[[argument]]
name = "a_padded"
kind = "scratch"
type = "dtype"
count = """\
  LOAD != "registers" && K * sizeof(dtype) % 16 != 0 ? M * round_up(K, 16 / sizeof(dtype)) : 1"""

[[argument]]
name = "b_padded"
kind = "scratch"
type = "dtype"
count = """\
  LOAD == "registers" || (b_layout == "nk" ? K : N) * sizeof(dtype) % 16 == 0 ? 1 \
  : (b_layout == "nk" ? N : K) * round_up(b_layout == "nk" ? K : N, 16 / sizeof(dtype))"""

[[argument]]
name = "a_padded_map"
kind = "tensor_map"
of = "a_padded"
shape = ["K", "M"]
pitch = ["round_up(K, 16 / sizeof(dtype))"]
box = ['VARIANT == "wgmma" ? 128 / sizeof(dtype) : BLOCK_K', "BLOCK_M / CLUSTER_N"]
swizzle = 'VARIANT == "wgmma" ? 128 : BLOCK_K * sizeof(dtype)'
when = '(VARIANT == "wgmma" || LOAD == "tma") && K * sizeof(dtype) % 16 != 0'

[[argument]]
name = "b_padded_map"
kind = "tensor_map"
of = "b_padded"
shape = ['b_layout == "nk" ? K : N', 'b_layout == "nk" ? N : K']
pitch = ['round_up(b_layout == "nk" ? K : N, 16 / sizeof(dtype))']
box = [
  'VARIANT == "wgmma" ? 128 / sizeof(dtype) : BLOCK_K',
  'b_layout == "nk" ? BLOCK_N / CLUSTER_M : BLOCK_K / CLUSTER_M',
]
swizzle = 'VARIANT == "wgmma" ? 128 : BLOCK_K * sizeof(dtype)'
when = '(VARIANT == "wgmma" || LOAD == "tma") && (b_layout == "nk" ? K : N) * sizeof(dtype) % 16 != 0'

[[argument]]
name = "partials"
kind = "scratch"
type = "f32"
count = "SPLIT_K > 1 ? 2 * SPLIT_K * M * ceil_div(N, 2) : 1"

# 16-bit types: products are exact. The error of C is mostly its own rounding, half a unit (2^-11 of the value in f16,
# 2^-8 in bf16) in the result and also in the reference. The relative error is thus 2^-10 and 2^-7. Elements near zero
# show the error of the additions, too. Tensor cores cut off what lies below 2^-23 of the sum in each of K / 16 steps,
# all in one direction. The largest of millions of sums grow like 2 sqrt(k). Together this is 2^-23 / 16 * 4 / 3 K^1.5 =
# 1e-8 K^1.5. Twice that still detects a missing product (0.25 on average) up to K = 40000.
# 
# f32: the tensor cores cut off the lower 13 bits of each factor, up to 2^-10 and 3.5e-4 on average. In the mean square
# the error of a product is 7.5e-4 of it. These errors add up like a random walk: 7.5e-4 sqrt(K) / 3 = 2.5e-4 sqrt(K) as
# standard deviation. The largest in 10^8 elements is 6 times that. 2.5e-3 sqrt(K) leaves a factor of 1.6, and detects a
# missing product up to K = 10000. The additional 1e-3 is for small K, where a few large products matter.
[check]
reference = "entry"
entry = "gemm_tc_reference"
arguments = ["a", "b", "c", "a_map", "b_map", "c_map", "m", "n", "k", "alpha", "beta"]
grid = ["ceil_div(N, 64)", "min(ceil_div(M, 64), 65535)"]
block = ["256"]
absolute = 'dtype == "f32" ? 1e-3 + 2.5e-3 * sqrt(K) : 2e-8 * K * sqrt(K) + 1e-5'
relative = 'dtype == "f32" ? 1e-3 : dtype == "f16" ? 0.001 : 0.008'

[work]
flops = "2 * M * N * K"
bytes = "sizeof(dtype) * (M * K + K * N + M * N)"
unit = "tensor"
*/

// The kernels are in gemm_tc_mma.cuh and gemm_tc_wgmma.cuh; here is what they are checked against.

#if IS_BF16
#include <cuda_bf16.h>
#elif IS_F16
#include <cuda_fp16.h>
#endif

#include "tensor_map.cuh"

// A block has 64 x 64 of C, a thread 4 x 4. Sixteen products at a time are added in single precision (exact products
// for 16-bit types), and those sums in double.
__global__ void gemm_tc_reference(const dtype* a, const dtype* b, dtype* c, const TensorMap, const TensorMap,
                                  const TensorMap, long long m, long long n, long long k, float alpha,
                                  float beta) {
  __shared__ float a_tile[16 * 64];
  __shared__ float b_tile[16 * 64];
  const int thread = static_cast<int>(threadIdx.x);
  const long long column0 = static_cast<long long>(blockIdx.x) * 64;
  for (long long row0 = static_cast<long long>(blockIdx.y) * 64; row0 < m;
       row0 += static_cast<long long>(gridDim.y) * 64) {
    double sums[4][4] = {};
    for (long long depth = 0; depth < k; depth += 16) {
      for (int i = thread; i < 64 * 16; i += 256) {
        const long long at = depth + i % 16;
        const long long row = row0 + i / 16;
        a_tile[i % 16 * 64 + i / 16] = row < m && at < k ? static_cast<float>(a[row * k + at]) : 0.0f;
        const long long at_b = depth + (B_IS_KN ? i / 64 : i % 16);
        const long long column = column0 + (B_IS_KN ? i % 64 : i / 16);
        b_tile[(at_b - depth) * 64 + column - column0] =
            column < n && at_b < k ? static_cast<float>(b[B_IS_KN ? at_b * n + column : column * k + at_b])
                                   : 0.0f;
      }
      __syncthreads();
      float parts[4][4] = {};
      for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) {
          parts[j / 4][j % 4] +=
              a_tile[i * 64 + thread / 16 + j / 4 * 16] * b_tile[i * 64 + thread % 16 + j % 4 * 16];
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
      if (beta != 0.0f)
        value += static_cast<double>(beta) * static_cast<double>(static_cast<float>(c[row * n + column]));
      c[row * n + column] = static_cast<dtype>(static_cast<float>(value));
    }
  }
}
