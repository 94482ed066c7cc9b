/* warptune
[kernel]
name = "spmv"
description = "y = A x, where A is a sparse matrix in compressed rows (CSR)"
vendor = "cusparseSpMV, the faster of CUSPARSE_SPMV_CSR_ALG1 and ALG2"
about = """
Multiplies a sparse matrix of ROWS rows, COLUMNS columns and NNZ entries in compressed rows (CSR, 32-bit indices) by a
vector.

`ALGORITHM = "row_split"` gives each row to THREADS_PER_ROW threads, from one thread (the scalar form) to a warp. They
load UNROLL vectors of VECTOR entries before they use the first of them. This algorithm is best if rows have similar
lengths.

`ALGORITHM = "merge_path"` puts all entries and the ends of all rows in one order, the merge path. It cuts this path
into tiles of BLOCK x ITEMS. So every block has the same work, whatever the lengths of the rows. Products go to shared
memory, where the rows of the tile are summed. With `TILE_REDUCTION = "row_groups"`, groups of threads take rows. With
`TILE_REDUCTION = "segmented_scan"`, threads take equal parts of the merge path, and a segmented scan combines their
sums. An earlier launch, which is part of the same evaluation, finds the borders of the tiles. It also sets the sums of
rows that cross a border to 0. The tiles add their parts to these sums by atomic additions.

`matrix` chooses the matrix that is generated. In "banded" all rows have equal length, and columns are within about
BAND / 2 of the diagonal. In "uniform" rows have 0.5 to 1.5 times the mean length, and columns are anywhere. In
"power_law" many rows are empty, the longest rows have thousands of times the mean length, and columns are anywhere. For
banded matrices device memory is the limit; for scattered columns, the reads of x from L2 are the limit.

NNZ must be at most 2^31 - 65536, because positions of entries are 32-bit integers, and threads compute positions up to
one step past the end.
"""
entry = "spmv"
defines.ROW_SPLIT = 'ALGORITHM == "row_split"'
defines.X_EVICT_LAST = 'X_LOAD == "evict_last"'
defines.SEGMENTED_SCAN = 'TILE_REDUCTION == "segmented_scan"'

[problem]
ROWS = { value = 1000000, description = "rows of the matrix, elements of y" }
COLUMNS = { value = 1000000, description = "columns of the matrix, elements of x" }
NNZ = { value = 16000000, description = "stored entries of the matrix" }
BAND = { value = 2048, description = "width of the band of a banded matrix" }
dtype = { value = "f32", description = "type of entries, x and y" }
matrix = { value = "uniform", description = "which matrix is generated" }

[problem_values]
dtype = ["f32", "f64"]
matrix = ["banded", "power_law", "uniform"]

[parameters]
ALGORITHM.values = ["row_split", "merge_path"]
ALGORITHM.description = """\
  row_split: every row has the same number of threads; merge_path: every block has the same total of rows and \
  entries"""
BLOCK = { values = [64, 128, 192, 256, 384, 512], description = "threads per block" }
THREADS_PER_ROW.values = [1, 2, 4, 8, 16, 32]
THREADS_PER_ROW.description = "threads that share a row"
THREADS_PER_ROW.when = 'ALGORITHM == "row_split"'
THREADS_PER_ROW.otherwise = 1
ROWS_PER_THREAD.values = [1, 2, 4]
ROWS_PER_THREAD.description = "rows that a group of threads takes one after the other"
ROWS_PER_THREAD.when = 'ALGORITHM == "row_split"'
ROWS_PER_THREAD.otherwise = 1
UNROLL.values = [1, 2, 4, 8]
UNROLL.description = "vectors of entries that a thread loads before it uses them"
UNROLL.when = 'ALGORITHM == "row_split"'
UNROLL.otherwise = 1
ITEMS.values = [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 16]
ITEMS.description = "rows plus entries per thread"
ITEMS.when = 'ALGORITHM == "merge_path"'
ITEMS.otherwise = 4
TILE_REDUCTION.values = ["row_groups", "segmented_scan"]
TILE_REDUCTION.description = """\
  how the products of a tile are summed: by groups of threads that take rows, or by threads that take equal parts of \
  the merge path"""
TILE_REDUCTION.when = 'ALGORITHM == "merge_path"'
TILE_REDUCTION.otherwise = "row_groups"
PAD_SHARED.values = [false, true]
PAD_SHARED.description = """\
  whether a gap is left in shared memory behind every 32 products, against bank conflicts between rows"""
PAD_SHARED.when = 'ALGORITHM == "merge_path"'
PAD_SHARED.otherwise = false
VECTOR = { values = [1, 2, 4], description = "entries per load" }
MATRIX_LOAD.values = ["plain", "streaming", "no_allocate"]
MATRIX_LOAD.description = "cache hint of loads of the matrix: none, used once, or not kept in L1"
X_LOAD.values = ["plain", "evict_last"]
X_LOAD.description = "cache hint of loads of x: none, or evicted from L1 last"

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = "UNROLL * VECTOR <= 8", reason = """\
    more entries in flight take registers, and rows are rarely that long""" },
  { expression = "THREADS_PER_ROW > 1 || VECTOR == 1", reason = """\
    with one thread per row, neighbouring threads load vectors of different rows, which rarely share sectors""" },
  { reason = "a smaller tile takes longer to find than to sum", expression = """\
    ALGORITHM == "row_split" || BLOCK * ITEMS >= 192""" },
  { reason = "larger tiles leave few blocks on an SM", expression = """\
    ALGORITHM == "row_split" || BLOCK * ITEMS <= 6144""" },
  { reason = "the tile fits into shared memory", expression = """\
    ALGORITHM == "row_split" || (BLOCK * ITEMS + 16) * 9 / 8 * sizeof(dtype) <= device_shared_bytes_per_block_optin\
    """ },
]

[default]
ALGORITHM = "row_split"
BLOCK = 256
THREADS_PER_ROW = 8
ROWS_PER_THREAD = 1
UNROLL = 1
ITEMS = 4
TILE_REDUCTION = "row_groups"
PAD_SHARED = false
VECTOR = 1
MATRIX_LOAD = "plain"
X_LOAD = "plain"

# What is known to be fast, by the entries of a row. Found by bench_size_matrix on an H200 with f32.
[[recommended]]
when = 'dtype == "f32" && matrix == "uniform" && NNZ > 64 * ROWS'
[recommended.values]
BLOCK = 64
THREADS_PER_ROW = 16
VECTOR = 4

[[recommended]]
when = 'dtype == "f32" && matrix == "uniform" && NNZ <= 6 * ROWS'
[recommended.values]
BLOCK = 128
THREADS_PER_ROW = 2
UNROLL = 4
VECTOR = 2
MATRIX_LOAD = "streaming"

[[recommended]]
when = 'dtype == "f32" && matrix == "uniform"'
[recommended.values]
BLOCK = 128
THREADS_PER_ROW = 4
UNROLL = 4
VECTOR = 2
MATRIX_LOAD = "streaming"

[launch]
grid = ["""\
  ALGORITHM == "row_split" ? ceil_div(ROWS, BLOCK / THREADS_PER_ROW * ROWS_PER_THREAD) \
  : ceil_div(ROWS + NNZ, BLOCK * ITEMS)"""]
block = ["BLOCK"]
shared_bytes = """\
  ALGORITHM == "row_split" ? 0 : (BLOCK * ITEMS + 16 + (PAD_SHARED ? BLOCK * ITEMS / 32 * VECTOR : 0)) \
  * sizeof(dtype)"""

[[launch.before]]
entry = "find_tiles"
grid = ["ceil_div(ROWS, 1024)"]
block = ["256"]
when = 'ALGORITHM == "merge_path"'

# The entries of row i are offsets[i] to offsets[i + 1] - 1.
[[argument]]
name = "offsets"
kind = "in"
type = "i32"
count = "ROWS + 1"
init.kind = "offsets"
init.weight = 'matrix == "banded" ? 1 : matrix == "uniform" ? 0.5 + u : max(pow(1 - u, -0.6) - 1.1, 0)'
init.total = "NNZ"
init.seed = 1

[[argument]]
name = "columns"
kind = "in"
type = "i32"
count = "NNZ"
init.kind = "expression"
init.value = """\
  matrix == "banded" ? min(max(floor(i * COLUMNS / NNZ + (u - 0.5) * BAND), 0), COLUMNS - 1) : floor(u * COLUMNS)"""
init.seed = 2

[[argument]]
name = "values"
kind = "in"
type = "dtype"
count = "NNZ"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "x"
kind = "in"
type = "dtype"
count = "COLUMNS"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 4 }

[[argument]]
name = "y"
kind = "out"
type = "dtype"
count = "ROWS"

# The number of rows that end before each tile, and before the end of the last one.
[[argument]]
name = "tile_rows"
kind = "scratch"
type = "i32"
count = 'ALGORITHM == "merge_path" ? ceil_div(ROWS + NNZ, BLOCK * ITEMS) + 1 : 1'

[[argument]]
name = "rows"
kind = "scalar"
type = "i32"
value = "ROWS"

[[argument]]
name = "nnz"
kind = "scalar"
type = "i32"
value = "NNZ"

# A product of two numbers uniform in [-1, 1] has variance 1/9, so a row of L entries sums to about sqrt(L) / 3. With
# unit roundoff r each addition has an error of at most r times the running sum. Together they are a random walk of
# about r sqrt(L) / 3 sqrt(L / 2) = r L / 4. The longest row of a power law has about 3000 times the mean length (times
# (ROWS / 1e6)^0.6). Usually many threads sum it at once, and their chains are shorter by a factor of 32 or more. But
# with one thread per row it is one chain. Hence the bound takes L = 3000 NNZ / ROWS + 64, and 8 standard deviations: 2
# r L.
[check]
reference = "entry"
entry = "spmv_reference"
grid = ["min(ceil_div(ROWS, 8), 1048576)"]
block = ["256"]
absolute = """\
  (dtype == "f64" ? 2.2204460492503131e-16 : 1.1920928955078125e-7) \
  * (64 + (matrix == "power_law" ? 3000 : 1) * NNZ / ROWS)"""
relative = 0.0
nondeterministic = 'ALGORITHM == "merge_path"'

[work]
flops = "2 * NNZ"
bytes = "NNZ * (sizeof(dtype) + 4) + (ROWS + 1) * 4 + (ROWS + COLUMNS) * sizeof(dtype)"
*/
#include "memory_access.cuh"

// VECTOR elements of one array.
template <class T>
union Pack {
  typename WordOf<VECTOR * sizeof(T)>::Type word;
  T item[VECTOR];
};

__device__ __forceinline__ dtype load_x(const dtype* source) {
#if X_EVICT_LAST && defined(__CUDA_ARCH__)
  if (sizeof(dtype) == 4) {
    unsigned bits;
    asm("ld.global.nc.L1::evict_last.u32 %0, [%1];" : "=r"(bits) : "l"(source));
    return static_cast<dtype>(__uint_as_float(bits));
  } else {
    double value;
    asm("ld.global.nc.L1::evict_last.f64 %0, [%1];" : "=d"(value) : "l"(source));
    return static_cast<dtype>(value);
  }
#else
  return __ldg(source);
#endif
}

// The matrix and x. Vectors begin at multiples of VECTOR entries. Those that reach past the last entry, and all
// vectors of arrays that are not aligned, are loaded entry by entry.
struct Matrix {
  const int* columns;
  const dtype* values;
  const dtype* x;
  int nnz;
  bool aligned;

  __device__ __forceinline__ Matrix(const int* columns_, const dtype* values_, const dtype* x_, int nnz_)
      : columns(columns_), values(values_), x(x_), nnz(nnz_) {
    aligned = reinterpret_cast<size_t>(columns) % sizeof(Pack<int>) == 0 &&
              reinterpret_cast<size_t>(values) % sizeof(Pack<dtype>) == 0;
  }
  // The vector at `at`, of which the entries from `first` to `end` - 1 are wanted and at least one is.
  __device__ __forceinline__ void load(Pack<int>& column, Pack<dtype>& value, int at, int first,
                                       int end) const {
    if (VECTOR == 1 || (aligned && at + VECTOR <= nnz)) {
      column.word =
          load_word<LoadHint::MATRIX_LOAD>(reinterpret_cast<const decltype(column.word)*>(columns + at));
      value.word =
          load_word<LoadHint::MATRIX_LOAD>(reinterpret_cast<const decltype(value.word)*>(values + at));
    } else {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        const bool wanted = at + j >= first && at + j < end;
        column.item[j] = wanted ? __ldg(columns + at + j) : 0;
        value.item[j] = wanted ? __ldg(values + at + j) : dtype(0);
      }
    }
  }
};

#if ROW_SPLIT
// Adds up the entries of a row that belong to this of the row's threads.
__device__ __forceinline__ dtype sum_of_row(const Matrix& matrix, int first, int end, int lane) {
  dtype sum = 0;
#pragma unroll 1
  for (int at = first / VECTOR * VECTOR + lane * VECTOR; at < end; at += THREADS_PER_ROW * VECTOR * UNROLL) {
    Pack<int> column[UNROLL];
    Pack<dtype> value[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      const int word = at + i * THREADS_PER_ROW * VECTOR;
      if (word < end) matrix.load(column[i], value[i], word, first, end);
    }
    dtype factor[UNROLL][VECTOR];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        const int entry = at + i * THREADS_PER_ROW * VECTOR + j;
        factor[i][j] = entry >= first && entry < end ? load_x(matrix.x + column[i].item[j]) : dtype(0);
      }
    }
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        const int entry = at + i * THREADS_PER_ROW * VECTOR + j;
        if (entry >= first && entry < end) sum += value[i].item[j] * factor[i][j];
      }
    }
  }
  return sum;
}

__global__ void __launch_bounds__(BLOCK)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns, const dtype* __restrict__ values,
         const dtype* __restrict__ x, dtype* __restrict__ y, int*, int rows, int nnz) {
  constexpr int kGroups = BLOCK / THREADS_PER_ROW;
  const Matrix matrix(columns, values, x, nnz);
  const int lane = static_cast<int>(threadIdx.x) % THREADS_PER_ROW;
  const long long first_row = static_cast<long long>(blockIdx.x) * (kGroups * ROWS_PER_THREAD) +
                              static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
#pragma unroll
  for (int i = 0; i < ROWS_PER_THREAD; ++i) {
    const long long row = first_row + i * kGroups;
    dtype sum = 0;
    if (row < rows) sum = sum_of_row(matrix, __ldg(offsets + row), __ldg(offsets + row + 1), lane);
#pragma unroll
    for (int distance = THREADS_PER_ROW / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
#else
#include "spmv_merge_path.cuh"

#endif

// The merge path has the end of row r behind its last entry, at position offsets[r + 1] + r. A thread takes 4 rows, and
// finds for each the tiles that begin behind the end of the row before and not behind its own.
__global__ void find_tiles(const int* __restrict__ offsets, const int*, const dtype*, const dtype*, dtype* y,
                           int* tile_rows, int rows, int nnz) {
  constexpr int kItems = BLOCK * ITEMS;
  const long long first_row = static_cast<long long>(blockIdx.x) * 1024 + threadIdx.x;
  int begins[4], ends[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long row = first_row + i * 256 < rows ? first_row + i * 256 : rows - 1;
    begins[i] = __ldg(offsets + row);
    ends[i] = __ldg(offsets + row + 1);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long row = first_row + i * 256;
    if (row >= rows) break;
    const long long last = (ends[i] + row) / kItems;
#pragma unroll 1
    for (long long tile = (begins[i] + row + kItems - 1) / kItems; tile <= last; ++tile)
      tile_rows[tile] = static_cast<int>(row);
    if (last * kItems > begins[i] + row) y[row] = 0;  // a tile begins among the row's entries
    if (row == rows - 1) tile_rows[(static_cast<long long>(rows) + nnz + kItems - 1) / kItems] = rows;
  }
}

#ifdef WARPTUNE_REFERENCE
// A warp a row, in double.
__global__ void spmv_reference(const int* offsets, const int* columns, const dtype* values, const dtype* x,
                               dtype* y, int*, int rows, int) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32; row < rows;
       row += static_cast<long long>(gridDim.x) * blockDim.x / 32) {
    double sum = 0;
#pragma unroll 8
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) {
      sum += static_cast<double>(values[i]) * static_cast<double>(x[columns[i]]);
    }
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) y[row] = static_cast<dtype>(sum);
  }
}
#endif
