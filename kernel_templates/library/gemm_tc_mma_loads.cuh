#pragma once

// How the tiles of gemm_tc_mma.cuh reach shared memory without tensor maps.

// Copies 16 bytes, or stores zeros where they do not exist. Predicates instead of branches, so that the products of
// the tile before can be issued among the copies.
__device__ __forceinline__ void copy_vector(char* to, const dtype* from, bool exists, bool wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %3, 0; @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2; }" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0), "r"(static_cast<int>(wanted))
      : "memory");
#else
  const uint4 zero = {0, 0, 0, 0};
  if (wanted) *reinterpret_cast<uint4*>(to) = exists ? *reinterpret_cast<const uint4*>(from) : zero;
#endif
}

__device__ __forceinline__ uint4 load_vector(const dtype* from, bool exists) {
  uint4 vector = {0, 0, 0, 0};
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(vector.x), "+r"(vector.y), "+r"(vector.z), "+r"(vector.w)
               : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(exists)));
#else
  if (exists) vector = *reinterpret_cast<const uint4*>(from);
#endif
  return vector;
}

__device__ __forceinline__ void commit_copies() {
#if LOAD_ASYNC && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_copies() {
#if LOAD_ASYNC && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

// A thread's part in bringing the tiles of one matrix, `rows` by `columns` with rows as they are in memory, into
// shared memory. Tiles follow each other along the columns or, with `down`, along the rows.
template <class Tile, int tile_rows, bool down>
struct Loader {
  static constexpr int kCount = tile_rows * Tile::kVectors / kThreads;
  static constexpr int kBelow =
      kThreads / Tile::kVectors;  // rows between a thread's vectors, which are permuted alike
  static constexpr int kColumns = Tile::kVectors * kVector;

  const dtype* from;  // the thread's first vector of the tile that comes next
  long long pitch, rows_left, columns_left;
  int row, vector;
  bool by_vectors;
#if SHIFTED_TILES
  padding::Words words[kCount];
#elif !LOAD_ASYNC
  uint4 vectors[kCount];
#endif

  __device__ __forceinline__ Loader(const dtype* matrix, long long rows, long long columns, long long row0,
                                    long long column0)
      : pitch(columns),
        rows_left(rows - row0),
        columns_left(columns - column0),
        row(static_cast<int>(threadIdx.x) / Tile::kVectors),
        vector(static_cast<int>(threadIdx.x) % Tile::kVectors),
        by_vectors(SHIFTED_TILES ? reinterpret_cast<size_t>(matrix) % 4 == 0
                                 : columns % kVector == 0 && reinterpret_cast<size_t>(matrix) % 16 == 0) {
    from = matrix + (row0 + row) * columns + column0 + vector * kVector;
  }

  // Brings the next tile, unless it is not wanted, element by element where rows do not start aligned.
  __device__ __forceinline__ void fetch_elements(char* tile, bool wanted) const {
    if (by_vectors || !wanted) return;
    const dtype* corner = from - row * pitch - vector * kVector;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < tile_rows * kColumns; i += kThreads) {
      const int at = i / kColumns;
      const int column = i % kColumns;
      dtype* to = reinterpret_cast<dtype*>(tile + Tile::element(at, column));
      *to = at < rows_left && column < columns_left ? corner[at * pitch + column] : static_cast<dtype>(0.0f);
    }
  }

  // The same by vectors where they do.
  __device__ __forceinline__ void fetch_vectors([[maybe_unused]] char* tile, bool wanted) {
    wanted = wanted && by_vectors;
    const int rows = static_cast<int>(rows_left < tile_rows ? rows_left : tile_rows);
    const int columns = static_cast<int>(columns_left < kColumns ? columns_left : kColumns);
    const int exist = vector * kVector < columns ? rows - row : 0;  // vectors of the thread, in rows
    [[maybe_unused]] char* to = tile + Tile::offset(row, vector);
    const dtype* source = from;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#if SHIFTED_TILES
      // Behind the last 16 bytes of a row nothing is read.
      const auto* bits = reinterpret_cast<const padding::Bits*>(source);
      const long long left = columns_left - vector * kVector;
      if (!wanted || i * kBelow >= exist) {
        words[i].set({0, 0, 0, 0});
      } else if (left > kVector) {
        words[i].load(bits);
      } else {
        words[i].set(padding::elements(bits, static_cast<int>(left)));
      }
#elif LOAD_ASYNC
      copy_vector(to + i * kBelow * Tile::kBytes, source, i * kBelow < exist, wanted);
#else
      vectors[i] = load_vector(source, wanted && i * kBelow < exist);
#endif
      source += kBelow * pitch;
    }
  }

  __device__ __forceinline__ void advance() {
    from += down ? tile_rows * pitch : kColumns;
    if (down) rows_left -= tile_rows;
    if (!down) columns_left -= kColumns;
  }

  // Stores what `fetch` has left in registers.
  __device__ __forceinline__ void store([[maybe_unused]] char* tile) {
#if !LOAD_ASYNC
    if (!by_vectors) return;
    char* to = tile + Tile::offset(row, vector);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#if SHIFTED_TILES
      *reinterpret_cast<uint4*>(to + i * kBelow * Tile::kBytes) = words[i].vector();
#else
      *reinterpret_cast<uint4*>(to + i * kBelow * Tile::kBytes) = vectors[i];
#endif
    }
#endif
  }
};
