#pragma once

// A tile of stencil2d.cu in shared memory: how it gets there, and sweeps from one copy of it to the other.

#if IN_SHARED
constexpr int kHaloX = (kRadius * TEMPORAL_BLOCKING + VECTOR - 1) / VECTOR * VECTOR;
constexpr int kHaloY = kRadius * TEMPORAL_BLOCKING;
constexpr int kPitch = kTileX + 2 * kHaloX;
constexpr int kHeight = kTileY + 2 * kHaloY;
constexpr int kRowVectors = kPitch / VECTOR;

__device__ __forceinline__ void copy_vector(dtype* to, const dtype* from) {
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(Word) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(__cvta_generic_to_global(from))
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place),
                 "l"(__cvta_generic_to_global(from)), "n"(static_cast<int>(sizeof(Word)))
                 : "memory");
  }
#else
  *reinterpret_cast<Word*>(to) = __ldg(reinterpret_cast<const Word*>(from));
#endif
}

// Brings the tile and its halo, whose first element is at row y0 and column x0 of the matrix, to shared memory.
__device__ __forceinline__ void load_tile(dtype* tile, const Matrix& in, int y0, int x0) {
  const int thread = static_cast<int>(threadIdx.x);
  if (in.vectors && x0 >= 0 && x0 + kPitch <= in.columns) {
#pragma unroll 8
    for (int i = thread; i < kHeight * kRowVectors; i += kThreads) {
      copy_vector(tile + i * VECTOR, in.row(y0 + i / kRowVectors) + x0 + i % kRowVectors * VECTOR);
    }
  } else {
#pragma unroll 1
    for (int i = thread; i < kHeight * kRowVectors; i += kThreads) {
      const int x = x0 + i % kRowVectors * VECTOR;
      const dtype* row = in.row(y0 + i / kRowVectors);
      if (in.vectors && x >= 0 && x < in.columns) {
        copy_vector(tile + i * VECTOR, row + x);
      } else {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) tile[i * VECTOR + j] = __ldg(row + clamped(x + j, in.columns));
      }
    }
  }
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// A vector and its neighbours in shared memory. Vectors before the first and behind the last of a row belong to other
// rows, and to results that nobody reads.
__device__ __forceinline__ void read_own(dtype (&values)[VECTOR], const dtype* place) {
  unpack(values, *reinterpret_cast<const Word*>(place));
}
__device__ __forceinline__ void read_sides(Sides& sides, const dtype* place) {
  if (VECTOR >= kRadius) {
    dtype before[VECTOR], after[VECTOR];
    read_own(before, place - VECTOR);
    read_own(after, place + VECTOR);
#pragma unroll
    for (int d = 1; d <= kRadius; ++d) {
      sides.left[d - 1] = before[(VECTOR - d % VECTOR) % VECTOR];
      sides.right[d - 1] = after[(d - 1) % VECTOR];
    }
  } else {
#pragma unroll
    for (int d = 1; d <= kRadius; ++d) {
      sides.left[d - 1] = place[-d];
      sides.right[d - 1] = place[VECTOR - 1 + d];
    }
  }
}

#if TEMPORAL_BLOCKING > 1
// Sweep `number`, counted from 1, from one copy of the tile to the other: as much of the halo as the sweeps after it
// need.
__device__ __forceinline__ void sweep_tile(dtype* to, const dtype* from, const Matrix& in,
                                           const Weights& weights, int number, int y0, int x0) {
  const int left = kRadius * (TEMPORAL_BLOCKING - number);  // halo that is still needed
  const int first_word = (kHaloX - left) / VECTOR;
  const int words = (kHaloX + kTileX + left + VECTOR - 1) / VECTOR - first_word;
  const int first_row = kHaloY - left;
  const int rows = kTileY + 2 * left;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < rows * words; i += kThreads) {
    const int row = first_row + i / words;
    const int column = (first_word + i % words) * VECTOR;
    const dtype* place = from + row * kPitch + column;
    dtype own[2 * kRadius + 1][VECTOR];
#pragma unroll
    for (int d = 0; d <= 2 * kRadius; ++d) read_own(own[d], place + (d - kRadius) * kPitch);
    Sides sides;
    read_sides(sides, place);
    Pack pack;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      const dtype value = star(
          weights, [&](int d) -> const dtype(&)[VECTOR] { return own[kRadius + d]; }, sides, j);
      pack.item[j] = in.keeps(y0 + row, x0 + column + j) ? own[kRadius][j] : value;
    }
    *reinterpret_cast<Word*>(to + row * kPitch + column) = pack.word;
  }
  __syncthreads();
#if !FIXED_BOUNDARY
  // Outside of the matrix is the nearest element inside, as it is now.
  if (y0 < 0 || x0 < 0 || y0 + kHeight > in.rows || x0 + kPitch > in.columns) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < rows * words * VECTOR; i += kThreads) {
      const int row = first_row + i / (words * VECTOR);
      const int column = first_word * VECTOR + i % (words * VECTOR);
      const int inside_row = clamped(y0 + row, in.rows) - y0;
      const int inside_column = clamped(x0 + column, in.columns) - x0;
      if (inside_row != row || inside_column != column)
        to[row * kPitch + column] = to[inside_row * kPitch + inside_column];
    }
    __syncthreads();
  }
#endif
}
#endif
#endif
