#pragma once

// How conv2d.cu loads the image and the filter: by elements, by vectors, and whole tiles into shared memory.

// An element of the image, 0 outside.
__device__ __forceinline__ float element_of(const dtype* __restrict__ image, int row, int column, int height,
                                            int width) {
  const bool exists = static_cast<unsigned>(row) < static_cast<unsigned>(height) &&
                      static_cast<unsigned>(column) < static_cast<unsigned>(width);
  return exists ? widen(__ldg(image + static_cast<long long>(row) * width + column)) : 0.0f;
}

// Whether loads of VECTOR elements from multiples of VECTOR are aligned, and inside of a row or outside as a whole.
__device__ __forceinline__ bool rows_are_vectors(const dtype* image, int width) {
  return VECTOR == 1 ||
         (width % VECTOR == 0 && reinterpret_cast<size_t>(image) % (VECTOR * ELEMENT_BYTES) == 0);
}

// VECTOR elements of the image, zeros where they do not exist.
__device__ __forceinline__ void load_vector(float (&values)[VECTOR], const dtype* __restrict__ from,
                                            bool exist) {
  Pack<dtype, VECTOR> pack;
  pack.word = {};
  if (exist) pack.word = __ldg(reinterpret_cast<const WordOf<VECTOR * ELEMENT_BYTES>::Type*>(from));
#pragma unroll
  for (int i = 0; i < VECTOR; ++i) values[i] = widen(pack.item[i]);
}

#if FILTER_SHARED
__device__ __forceinline__ void load_filter(float* shared_filter, const dtype* __restrict__ filter) {
#pragma unroll 4
  for (int row = static_cast<int>(threadIdx.y); row < FILTER_ROWS; row += BLOCK_Y) {
#pragma unroll
    for (int i = 0; i < FILTER_COLUMNS; i += BLOCK_X) {
      const int column = i + static_cast<int>(threadIdx.x);
      if (column < FILTER_COLUMNS) {
        shared_filter[row * kFilterPitch + column] = widen(__ldg(filter + row * FILTER_COLUMNS + column));
      }
    }
  }
}
#endif

// A row of the filter.
__device__ __forceinline__ void read_filter_row(float (&row)[kFilterPitch], const float* shared_filter,
                                                const dtype* __restrict__ filter, int index) {
#if FILTER_SHARED
#pragma unroll
  for (int i = 0; i < kFilterPitch; i += 4) {
    const float4 word = *reinterpret_cast<const float4*>(shared_filter + index * kFilterPitch + i);
    row[i] = word.x, row[i + 1] = word.y, row[i + 2] = word.z, row[i + 3] = word.w;
  }
#else
#pragma unroll
  for (int i = 0; i < FILTER_COLUMNS; ++i) row[i] = widen(__ldg(filter + index * FILTER_COLUMNS + i));
#endif
}

#if USE_SHARED
#if USE_ASYNC
__device__ __forceinline__ void copy_vector(float* to, const dtype* from, bool exists) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "n"(4 * VECTOR), "r"(exists ? 4 * VECTOR : 0)
               : "memory");
#else
  for (int i = 0; i < VECTOR; ++i) to[i] = exists ? from[i] : 0.0f;
#endif
}
#endif

// Fills the tile, whose first element is the image's at `row0` and `column0`. A row of threads takes a row of the
// tile at a time.
__device__ __forceinline__ void load_tile(float* tile, const dtype* __restrict__ image, int row0, int column0,
                                          int height, int width) {
  const int thread_x = static_cast<int>(threadIdx.x);
  const int thread_y = static_cast<int>(threadIdx.y);
#if USE_BULK && defined(__CUDA_ARCH__)
  const bool words = false;  // then they come by bulk copies
#else
  const bool words = rows_are_vectors(image, width);
#endif
  if (words) {
    constexpr int kRowWords = kColumns / VECTOR;
    constexpr int kTurnsX = (kRowWords + BLOCK_X - 1) / BLOCK_X;
    constexpr int kTurnsY = (kRows + BLOCK_Y - 1) / BLOCK_Y;
    constexpr int kLoadUnroll = kTurnsX * kTurnsY <= 16 ? kTurnsY : kTurnsX < 8 ? 8 / kTurnsX : 1;
    const dtype* from = image + static_cast<long long>(row0 + thread_y) * width + column0 + thread_x * VECTOR;
    float* to = tile + thread_y * kPitch + thread_x * VECTOR;
    bool columns_exist[kTurnsX];
#pragma unroll
    for (int i = 0; i < kTurnsX; ++i) {
      columns_exist[i] =
          static_cast<unsigned>(column0 + (thread_x + i * BLOCK_X) * VECTOR) < static_cast<unsigned>(width);
    }
#pragma unroll kLoadUnroll
    for (int turn = 0; turn < kTurnsY; ++turn) {
      const int row = thread_y + turn * BLOCK_Y;
      const bool row_exists = static_cast<unsigned>(row0 + row) < static_cast<unsigned>(height);
#pragma unroll
      for (int i = 0; i < kTurnsX; ++i) {
        const bool in_tile = (kRows % BLOCK_Y == 0 || row < kRows) && (thread_x + i * BLOCK_X < kRowWords);
        const bool exist = row_exists && columns_exist[i];
#if USE_ASYNC
        if (in_tile)
          copy_vector(to + i * BLOCK_X * VECTOR, exist ? from + i * BLOCK_X * VECTOR : image, exist);
#else
        constexpr int kWrite = VECTOR < 4 ? VECTOR : 4;
        float values[VECTOR];
        load_vector(values, from + i * BLOCK_X * VECTOR, in_tile && exist);
#pragma unroll
        for (int j = 0; j < VECTOR; j += kWrite) {
          Pack<float, kWrite> pack;
#pragma unroll
          for (int k = 0; k < kWrite; ++k) pack.item[k] = values[j + k];
          if (in_tile)
            *reinterpret_cast<WordOf<4 * kWrite>::Type*>(to + i * BLOCK_X * VECTOR + j) = pack.word;
        }
#endif
      }
      from += BLOCK_Y * static_cast<long long>(width);
      to += BLOCK_Y * kPitch;
    }
  } else {
#pragma unroll 1
    for (int i = thread_y * BLOCK_X + thread_x; i < kRows * kColumns; i += THREADS) {
      const int row = i / kColumns;
      const int column = i % kColumns;
      tile[row * kPitch + column] = element_of(image, row0 + row, column0 + column, height, width);
    }
  }
}

#if USE_BULK && defined(__CUDA_ARCH__)
// Starts one copy of the whole tile; what lies outside of the image becomes 0. By one thread.
__device__ __forceinline__ void start_bulk_copy(float* tile, const TensorMap& map, unsigned barrier, int row0,
                                                int column0) {
  barrier_expect(barrier, kRows * kColumns * 4);
  load_box(static_cast<unsigned>(__cvta_generic_to_shared(tile)), map, column0, row0, barrier);
}
#endif
#endif
