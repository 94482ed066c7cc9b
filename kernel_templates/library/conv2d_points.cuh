#pragma once

// How conv2d.cu computes and stores the points of a thread, by each ALGORITHM.

#if !TAPS
#if USE_SHARED
// A thread's part of an image row of the tile.
__device__ __forceinline__ void read_segment(float (&segment)[kSegment], const float* from) {
#pragma unroll
  for (int i = 0; i < kSegment; i += kRead) {
    Pack<float, kRead> pack;
    pack.word = *reinterpret_cast<const WordOf<4 * kRead>::Type*>(from + kStart + i);
#pragma unroll
    for (int j = 0; j < kRead; ++j) segment[i + j] = pack.item[j];
  }
}
#endif

// Adds a row of the image times a row of the filter to a row of points.
__device__ __forceinline__ void add_row(float (&sums)[ITEMS_X], const float (&segment)[kSegment],
                                        const float (&filter_row)[kFilterPitch]) {
#pragma unroll
  for (int column = 0; column < FILTER_COLUMNS; ++column) {
#pragma unroll
    for (int i = 0; i < ITEMS_X; ++i)
      sums[i] = fmaf(filter_row[column], segment[kRest + column + i], sums[i]);
  }
}
#endif

// Stores a thread's points. `x` and `y` are the first one's place.
__device__ __forceinline__ void store_points(dtype* __restrict__ out, const float (&sums)[ITEMS_Y][ITEMS_X],
                                             int x, int y, int out_height, int out_width) {
#if TAPS
  constexpr int kStepX = BLOCK_X, kStepY = BLOCK_Y;  // from point to point
  constexpr int kStore = 1;                          // points a store
#else
  constexpr int kStepX = 1, kStepY = 1;
  constexpr int kWidest = 16 / ELEMENT_BYTES;
  constexpr int kStore = ITEMS_X < kWidest ? ITEMS_X : kWidest;
#endif
  const bool words = kStore == 1 || (out_width % kStore == 0 &&
                                     reinterpret_cast<size_t>(out) % (kStore * ELEMENT_BYTES) == 0);
#pragma unroll
  for (int j = 0; j < ITEMS_Y; ++j) {
    if (y + j * kStepY >= out_height) break;
    dtype* row = out + static_cast<long long>(y + j * kStepY) * out_width;
#pragma unroll
    for (int i = 0; i < ITEMS_X; i += kStore) {
      const int column = x + i * kStepX;
      Pack<dtype, kStore> pack;
#pragma unroll
      for (int k = 0; k < kStore; ++k) pack.item[k] = narrow(sums[j][i + k]);
      if (words) {
        auto* to = reinterpret_cast<WordOf<kStore * ELEMENT_BYTES>::Type*>(row + column);
        if (column < out_width) {
#if STREAMING_STORES
          __stcs(to, pack.word);
#else
          *to = pack.word;
#endif
        }
      } else {
#pragma unroll
        for (int k = 0; k < kStore; ++k) {
          if (column + k < out_width) row[column + k] = pack.item[k];
        }
      }
    }
  }
}

#if !USE_SHARED && VECTOR > 1
// A thread's points one by one, where rows are not words.
__device__ __forceinline__ void slow_points(dtype* __restrict__ out, const dtype* __restrict__ image,
                                            const dtype* __restrict__ filter, int x, int y, int out_height,
                                            int out_width, int height, int width) {
#pragma unroll 1
  for (int i = 0; i < ITEMS_X * ITEMS_Y; ++i) {
    const int row = y + i / ITEMS_X;
    const int column = x + i % ITEMS_X;
    if (row >= out_height || column >= out_width) continue;
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < FILTER_ROWS * FILTER_COLUMNS; ++j) {
      sum = fmaf(widen(__ldg(filter + j)),
                 element_of(image, row - kTop + j / FILTER_COLUMNS, column - kLeft + j % FILTER_COLUMNS,
                            height, width),
                 sum);
    }
    out[static_cast<long long>(row) * out_width + column] = narrow(sum);
  }
}
#endif

// Computes a thread's points of the block's tile at `block_x` and `block_y`.
__device__ __forceinline__ void filter_points(const float* tile, const float* shared_filter,
                                              const dtype* __restrict__ image,
                                              const dtype* __restrict__ filter, dtype* __restrict__ out,
                                              int block_x, int block_y, int height, int width, int out_height,
                                              int out_width) {
  const int thread_x = static_cast<int>(threadIdx.x);
  const int thread_y = static_cast<int>(threadIdx.y);
  float sums[ITEMS_Y][ITEMS_X];
#pragma unroll
  for (int j = 0; j < ITEMS_Y; ++j) {
#pragma unroll
    for (int i = 0; i < ITEMS_X; ++i) sums[j][i] = 0.0f;
  }

#if TAPS
  const float* corner = tile + thread_y * kPitch + kSkip + thread_x;
#pragma unroll kUnroll
  for (int row = 0; row < FILTER_ROWS; ++row) {
    float filter_row[kFilterPitch];
    read_filter_row(filter_row, shared_filter, filter, row);
#pragma unroll
    for (int column = 0; column < FILTER_COLUMNS; ++column) {
#pragma unroll
      for (int j = 0; j < ITEMS_Y; ++j) {
#pragma unroll
        for (int i = 0; i < ITEMS_X; ++i) {
          sums[j][i] = fmaf(filter_row[column], corner[(row + j * BLOCK_Y) * kPitch + column + i * BLOCK_X],
                            sums[j][i]);
        }
      }
    }
  }
  store_points(out, sums, block_x + thread_x, block_y + thread_y, out_height, out_width);
#else
  const int x = block_x + thread_x * ITEMS_X;
  const int y = block_y + thread_y * ITEMS_Y;
#if !USE_SHARED && VECTOR > 1
  if (!rows_are_vectors(image, width)) {
    slow_points(out, image, filter, x, y, out_height, out_width, height, width);
    return;
  }
#endif
#if USE_SHARED
  const float* corner = tile + thread_y * ITEMS_Y * kPitch + thread_x * ITEMS_X;
#endif
#if REGISTER_ROWS
#if !USE_SHARED
  const dtype* from = image + static_cast<long long>(y - kTop) * width + (x - kAlignedLeft + kStart);
  bool columns_exist[kSegment / VECTOR];
#pragma unroll
  for (int i = 0; i < kSegment / VECTOR; ++i) {
    columns_exist[i] =
        static_cast<unsigned>(x - kAlignedLeft + kStart + i * VECTOR) < static_cast<unsigned>(width);
  }
#endif
#pragma unroll kUnroll
  for (int row = 0; row < ITEMS_Y + FILTER_ROWS - 1; ++row) {
    float segment[kSegment];
#if USE_SHARED
    read_segment(segment, corner + row * kPitch);
#else
    const bool row_exists = static_cast<unsigned>(y - kTop + row) < static_cast<unsigned>(height);
#pragma unroll
    for (int i = 0; i < kSegment / VECTOR; ++i) {
      float values[VECTOR];
      load_vector(values, from + i * VECTOR, row_exists && columns_exist[i]);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) segment[i * VECTOR + j] = values[j];
    }
    from += width;
#endif
#pragma unroll
    for (int j = 0; j < ITEMS_Y; ++j) {
      if (row < j || row >= j + FILTER_ROWS) continue;
      float filter_row[kFilterPitch];
      read_filter_row(filter_row, shared_filter, filter, row - j);
      add_row(sums[j], segment, filter_row);
    }
  }
#else
  // Image row r is in window[r % ITEMS_Y]; at filter row r the points need the image rows r to r + ITEMS_Y - 1.
  float window[ITEMS_Y][kSegment];
#pragma unroll
  for (int row = 0; row < ITEMS_Y - 1; ++row) read_segment(window[row], corner + row * kPitch);
  const auto step = [&](int first, int turn) {
    read_segment(window[(turn + ITEMS_Y - 1) % ITEMS_Y], corner + (first + turn + ITEMS_Y - 1) * kPitch);
    float filter_row[kFilterPitch];
    read_filter_row(filter_row, shared_filter, filter, first + turn);
#pragma unroll
    for (int j = 0; j < ITEMS_Y; ++j) add_row(sums[j], window[(turn + j) % ITEMS_Y], filter_row);
  };
#pragma unroll kUnroll
  for (int first = 0; first + ITEMS_Y <= FILTER_ROWS; first += ITEMS_Y) {
#pragma unroll
    for (int turn = 0; turn < ITEMS_Y; ++turn) step(first, turn);
  }
#pragma unroll
  for (int turn = 0; turn < FILTER_ROWS % ITEMS_Y; ++turn) step(FILTER_ROWS / ITEMS_Y * ITEMS_Y, turn);
#endif
  store_points(out, sums, x, y, out_height, out_width);
#endif
}
