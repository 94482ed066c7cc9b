/* warptune
[kernel]
name = "spmv"
description = "y = A x, A a sparse matrix in compressed rows (CSR)"
vendor = "cusparseSpMV, the better of CUSPARSE_SPMV_CSR_ALG1 and ALG2"
about = """
Multiplies a sparse matrix of ROWS rows, COLUMNS columns and NNZ entries in compressed rows (CSR, 32-bit indices) by a
vector.

`ALGORITHM = "row_split"` gives each row to THREADS_PER_ROW threads (from 1, the scalar form, to a warp), which load
UNROLL vectors of VECTOR entries ahead. It is best where rows have similar lengths. `ALGORITHM = "merge_path"` cuts
the merge path of rows and entries into tiles of BLOCK x ITEMS, so that every block has the same work whatever the
lengths of the rows. Products go to shared memory, and there the rows of the tile are summed, either by groups of
threads (`TILE_REDUCTION = "row_groups"`) or by equal parts of the merge path with a segmented scan (`TILE_REDUCTION =
"segmented_scan"`). A launch before, which is part of the same evaluation, finds the borders of the tiles and sets the
sums of rows that cross one to 0; the tiles add their parts to those by atomic additions.

`matrix` chooses what is generated: "banded" (rows of equal length, columns within BAND of the diagonal), "uniform"
(rows of half to one and a half times the mean length, columns anywhere) or "power_law" (a seventh of the rows are
empty and the longest hold thousands of times the mean, columns anywhere). Banded matrices are bound by device memory,
scattered columns by gathers of x from L2.

NNZ must stay 65536 below 2^31: positions of entries are 32-bit integers, and threads look a step ahead.
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
ALGORITHM.description = "the same number of threads for every row, or of rows and entries for every block"
BLOCK = { values = [64, 128, 192, 256, 384, 512], description = "threads a block" }
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
ITEMS.description = "rows and entries of a thread"
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
VECTOR = { values = [1, 2, 4], description = "entries of a load" }
MATRIX_LOAD.values = ["plain", "streaming", "no_allocate"]
MATRIX_LOAD.description = "cache hint of loads of the matrix: none, used once, or not kept in L1"
X_LOAD.values = ["plain", "evict_last"]
X_LOAD.description = "cache hint of loads of x: none, or evicted from L1 last"

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { expression = "UNROLL * VECTOR <= 8", reason = "entries under way take registers, and rows are seldom that long" },
  { reason = "vectors of neighbouring rows seldom share sectors", expression = """\
      THREADS_PER_ROW > 1 || VECTOR == 1""" },
  { reason = "a smaller tile costs more to find than to sum", expression = """\
      ALGORITHM == "row_split" || BLOCK * ITEMS >= 192""" },
  { reason = "larger tiles leave few blocks on an SM", expression = """\
      ALGORITHM == "row_split" || BLOCK * ITEMS <= 6144""" },
  { reason = "the tile fits into shared memory", expression = """\
      ALGORITHM == "row_split" || (BLOCK * ITEMS + 16) * 9 / 8 * sizeof(dtype) \
      <= device_shared_bytes_per_block_optin""" },
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

# Row i's entries are offsets[i] to offsets[i + 1] - 1.
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

# For each tile and past the last one: how many rows end before it.
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

# A product of two numbers uniform in [-1, 1] has variance 1/9, so a row of L entries sums to about sqrt(L) / 3, and
# with unit roundoff r its additions err by at most r times the running sum: a random walk of about r sqrt(L) / 3
# sqrt(L / 2) = r L / 4. The longest row of a power law is about 3000 times the mean (ROWS / 1e6)^0.6 and is summed by
# many threads at once, whose chains are shorter by 32 or more; but a thread a row adds in one chain. Hence L = 3000
# NNZ / ROWS + 64 as bound, with 8 standard deviations: 2 r L.
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

// The matrix and x. Words begin at multiples of VECTOR entries; those of which a part lies past the last entry, and
// all words of arrays that are not aligned, are loaded entry by entry.
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
constexpr int kTile = BLOCK * ITEMS;

// Where a product is in shared memory.
__device__ __forceinline__ int place(int i) {
#if PAD_SHARED
  return i + i / 32 * VECTOR;
#else
  return i;
#endif
}

// Adds up `value` over the threads of a warp that share a row and precede the caller: an inclusive scan that starts
// anew where `starts`.
__device__ __forceinline__ void segmented_scan(dtype& value, bool& starts) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const dtype before = __shfl_up_sync(0xffffffffu, value, distance);
    const int started = __shfl_up_sync(0xffffffffu, static_cast<int>(starts), distance);
    if (lane >= distance && !starts) {
      value += before;
      starts = started != 0;
    }
  }
}

// Sets a row's sum, or adds a tile's part of it where the row has entries in other tiles.
__device__ __forceinline__ void put(dtype* y, dtype sum, bool crosses) {
  if (crosses) {
    atomicAdd(y, sum);
  } else {
    *y = sum;
  }
}

#if SEGMENTED_SCAN
// Sums the rows of a tile: each thread takes ITEMS rows and entries of the merge path, and the sum of the last row it
// meets goes on to the next threads. `ends` are the ends of the tile's rows in `count` products, which begin at place
// `shift`; `items` are its rows and entries.
__device__ __forceinline__ void sum_path(const dtype* products, const int* ends, dtype* y, int first_row,
                                         int last_row, int row_count, long long items, int count, int shift,
                                         bool first_crosses, int thread, int lane) {
  const int from = thread * ITEMS < static_cast<int>(items) ? thread * ITEMS : static_cast<int>(items);
  const int to = from + ITEMS < static_cast<int>(items) ? from + ITEMS : static_cast<int>(items);
  int low = from > count ? from - count : 0;
  int high = from < row_count ? from : row_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] + middle < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int row = low;
  int entry = from - low;
  dtype sum = 0;
  dtype head = 0;  // of the row that this thread ends first
  const int head_row = row;
  bool starts = false;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (from + i < to) {
      if (row < row_count && ends[row] <= entry) {
        if (starts) {
          y[first_row + row] = sum;  // begun by this thread
        } else {
          head = sum;
        }
        starts = true;
        sum = 0;
        ++row;
      } else {
        sum += products[place(shift + entry)];
        ++entry;
      }
    }
  }
  // What the threads before leave for this one's first row.
  constexpr int kWarps = BLOCK / 32;
  __shared__ dtype of_warps[kWarps];
  __shared__ int warp_starts[kWarps];
  const bool ends_row = starts;
  segmented_scan(sum, starts);
  dtype carry = __shfl_up_sync(0xffffffffu, sum, 1);
  int carry_starts = __shfl_up_sync(0xffffffffu, static_cast<int>(starts), 1);
  if (lane == 0) {
    carry = 0;
    carry_starts = 0;
  }
  if (lane == 31) {
    of_warps[thread / 32] = sum;
    warp_starts[thread / 32] = starts;
  }
  __syncthreads();
  dtype before = 0;
  for (int warp = 0; warp < thread / 32; ++warp)
    before = of_warps[warp] + (warp_starts[warp] ? dtype(0) : before);
  if (ends_row)
    put(y + first_row + head_row, head + carry + (carry_starts ? dtype(0) : before),
        head_row == 0 && first_crosses);
  if (thread == BLOCK - 1 && count > (row_count == 0 ? 0 : ends[row_count - 1])) {
    atomicAdd(y + last_row, sum + (starts ? dtype(0) : before));
  }
}
#else
// Sums the rows of a tile by groups of threads, of as many threads each as give all threads something to do. `ends`
// are the ends of the tile's rows in `count` products, which begin at place `shift`.
__device__ __forceinline__ void sum_rows(const dtype* products, const int* ends, dtype* y, int first_row,
                                         int row_count, int count, int shift, bool first_crosses) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int parts =
      row_count + (count > (row_count == 0 ? 0 : ends[row_count - 1]));  // with the row that goes on
  const auto finish = [&](int row, dtype sum) {
    put(y + first_row + row, sum, row == row_count || (row == 0 && first_crosses));
  };
  if (parts * 32 > BLOCK) {
    int width = 32;
    while (width > 1 && parts * width > BLOCK) width /= 2;
    const int of_group = thread & (width - 1);
    const int group = thread / width;
    const int groups = BLOCK / width;
    for (int row = group; row - group < parts; row += groups) {
      dtype sum = 0;
      if (row < parts) {
        const int row_end = row < row_count ? ends[row] : count;
        for (int i = (row == 0 ? 0 : ends[row - 1]) + of_group; i < row_end; i += width)
          sum += products[place(shift + i)];
      }
      for (int distance = width / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (of_group == 0 && row < parts) finish(row, sum);
    }
  } else {
    // Few rows, long ones: the whole block takes one after the other.
    constexpr int kWarps = BLOCK / 32;
    __shared__ dtype of_warps[kWarps];
    for (int row = 0; row < parts; ++row) {
      const int row_end = row < row_count ? ends[row] : count;
      dtype sum = 0;
      for (int i = (row == 0 ? 0 : ends[row - 1]) + thread; i < row_end; i += BLOCK)
        sum += products[place(shift + i)];
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (lane == 0) of_warps[thread / 32] = sum;
      __syncthreads();
      if (thread == 0) {
        for (int warp = 1; warp < kWarps; ++warp) sum += of_warps[warp];
        finish(row, sum);
      }
      __syncthreads();
    }
  }
}
#endif

__global__ void __launch_bounds__(BLOCK)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns, const dtype* __restrict__ values,
         const dtype* __restrict__ x, dtype* y, int* __restrict__ tile_rows, int rows, int nnz) {
  const Matrix matrix(columns, values, x, nnz);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const long long items = static_cast<long long>(rows) + nnz;
  const long long begin = static_cast<long long>(blockIdx.x) * kTile;
  const long long end = begin + kTile < items ? begin + kTile : items;

  // The tile's rows are those that end in it, and last_row, of which it may have some entries.
  const int first_row = __ldg(tile_rows + blockIdx.x);
  const int last_row = __ldg(tile_rows + blockIdx.x + 1);
  const int first = static_cast<int>(begin - first_row);
  const int entries_end = static_cast<int>(end - last_row);
  const int row_count = last_row - first_row;
  const bool first_crosses = __ldg(offsets + first_row) < first;

  // Products of whole vectors from the one that holds the first entry, then where the tile's rows end, from its first
  // entry.
  extern __shared__ uint4 storage[];
  dtype* const products = reinterpret_cast<dtype*>(storage);
  const int base = first / VECTOR * VECTOR;
  constexpr int kVectors = (ITEMS + VECTOR - 1) / VECTOR + (VECTOR > 1);
  Pack<int> column[kVectors];
  Pack<dtype> value[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = base + (thread + i * BLOCK) * VECTOR;
    if (at < entries_end) matrix.load(column[i], value[i], at, first, entries_end);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = base + (thread + i * BLOCK) * VECTOR;
    if (at < entries_end) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        if (at + j >= first && at + j < entries_end) value[i].item[j] *= load_x(x + column[i].item[j]);
      }
      // A vector may begin before the tile's first entry and end past its last: such products are never read.
      *reinterpret_cast<Pack<dtype>*>(products + place(at - base)) = value[i];
    }
  }
  const int shift = first - base;
  int* const ends =
      reinterpret_cast<int*>(products + place((entries_end - base + VECTOR - 1) / VECTOR * VECTOR));
  for (int i = thread; i < row_count; i += BLOCK) ends[i] = __ldg(offsets + first_row + 1 + i) - first;
  __syncthreads();
  const int count = entries_end - first;

#if SEGMENTED_SCAN
  sum_path(products, ends, y, first_row, last_row, row_count, end - begin, count, shift, first_crosses,
           thread, lane);
#else
  sum_rows(products, ends, y, first_row, row_count, count, shift, first_crosses);
#endif
}
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
