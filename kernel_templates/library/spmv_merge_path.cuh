#pragma once

// The kernel of spmv.cu with ALGORITHM = "merge_path".

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
  [[maybe_unused]] const int lane = thread % 32;
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
