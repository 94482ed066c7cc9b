/* warptune
[kernel]
name = "shared_memory_banks_padding"
description = "transposes many matrices of 32 x 32 in shared memory; the columns are padded, swizzled or unchanged"
about = """
A block copies several 32 x 32 matrices to shared memory, row by row. Their number is such that exactly four blocks
share an SM. The block writes each matrix transposed, so it reads shared memory by columns. METHOD says how a column is
spread over the 32 banks:

- `plain`: not at all. The 32 words of a column lie in one bank.
- `padded`: rows are 33 words long. They take 3 % more shared memory, so that the fourth block no longer fits.
- `swizzled`: the word of row r and column c lies at column c xor r. There are no conflicts, and no further memory is
  needed.
"""
entry = "shared_memory_banks_padding"
# Compute capability 8.0 and later keep 1 KiB of each block for themselves.
defines.MATRICES = "(device_shared_bytes_per_sm / 4 - (device_compute_capability >= 80 ? 1024 : 0)) / 4096"
defines.PADDED = 'METHOD == "padded"'
defines.SWIZZLED = 'METHOD == "swizzled"'

[problem]
N = { value = 65536, description = "matrices" }

[parameters]
METHOD = { values = ["plain", "padded", "swizzled"], description = "how a column is spread over the banks" }
BLOCK = { values = [256], description = "threads per block" }

[default]
METHOD = "plain"
BLOCK = 256

[launch]
grid = ["ceil_div(N, (device_shared_bytes_per_sm / 4 - (device_compute_capability >= 80 ? 1024 : 0)) / 4096)"]
block = ["BLOCK"]
shared_bytes = """\
  (device_shared_bytes_per_sm / 4 - (device_compute_capability >= 80 ? 1024 : 0)) / 4096 * (METHOD == "padded" ? 4224 \
  : 4096)"""

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "1024 * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "1024 * N"

[[argument]]
name = "matrices"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "expression"
expression = "in[i / 1024 * 1024 + i % 32 * 32 + i / 32 % 32]"
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "2 * 1024 * N * 4"
*/

constexpr int kPitch = PADDED ? 33 : 32;

__device__ __forceinline__ int place(int row, int column) {
  return row * kPitch + (SWIZZLED ? column ^ row % 32 : column);
}

__global__ void __launch_bounds__(BLOCK)
    shared_memory_banks_padding(const float* __restrict__ in, float* __restrict__ out, int matrices) {
  extern __shared__ float tiles[];
  const int first = blockIdx.x * MATRICES;
  const int rows = 32 * (matrices - first < MATRICES ? matrices - first : MATRICES);
  const long long offset = first * 1024ll;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
#pragma unroll 4
  for (int row = warp; row < rows; row += BLOCK / 32) tiles[place(row, lane)] = in[offset + row * 32 + lane];
  __syncthreads();
  // Row r of a transposed matrix is its column r: lane l takes row l of it.
#pragma unroll 4
  for (int row = warp; row < rows; row += BLOCK / 32) {
    out[offset + row * 32 + lane] = tiles[place(row / 32 * 32 + lane, row % 32)];
  }
}
