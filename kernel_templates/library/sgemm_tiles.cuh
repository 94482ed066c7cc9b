#pragma once

// Tiles of A and B for sgemm.cu: how they lie in shared memory, how they get there, and how a thread reads its
// operands from them.

constexpr int kUnroll = UNROLL_K;  // nvcc expands no macros in a pragma
constexpr int kLanesN = 32 / LANES_M;
constexpr int kWarpM = LANES_M * THREAD_M;  // a warp's part of the block's tile
constexpr int kWarpN = kLanesN * THREAD_N;
constexpr int kWarpsN = BLOCK_N / kWarpN;
constexpr int kPitchA = A_TRANSPOSED ? BLOCK_M + PAD_A : BLOCK_K;
constexpr int kTileA = A_TRANSPOSED ? BLOCK_K * kPitchA : BLOCK_M * BLOCK_K;
constexpr int kStage =
    kTileA + BLOCK_K * BLOCK_N;  // elements of a stage: A's tile, then B's, [BLOCK_K][BLOCK_N]
constexpr int kVectorA = LOAD_ASYNC && A_TRANSPOSED ? 1 : VECTOR;

// A's tile lies transposed, as [BLOCK_K][kPitchA], or row-major, as [BLOCK_M][BLOCK_K]. In the latter the 128-bit
// vectors of a row are permuted, so that vectors at one place of consecutive rows lie in different banks.
__device__ __forceinline__ constexpr int swizzle(int row) { return row * BLOCK_K / 32 % (BLOCK_K / 4) * 4; }
__device__ __forceinline__ int offset_in_a(int row, int step) {
  return A_TRANSPOSED ? step * kPitchA + row : row * BLOCK_K + (step ^ swizzle(row));
}
// The distance of a thread's i-th row from its first. Of a transposed tile it takes four consecutive ones and then the
// next four after those of all lanes, so that a warp reads consecutive 128-bit vectors; columns are shared out so in
// both layouts.
__device__ __forceinline__ constexpr int row_of(int i) {
  return A_TRANSPOSED ? i / 4 * LANES_M * 4 + i % 4 : i * LANES_M;
}

template <int elements>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = float;
};
template <>
struct VectorOf<4> {
  using Type = float4;
};
template <int elements>
union Pack {
  typename VectorOf<elements>::Type vector;
  float item[elements];
};

// How the block's threads divide the loads of a tile whose rows are `row_vectors` vectors long: a thread's first load
// is at `row` and `element`, and the steps to its others are the same for all threads. THREADS divides row_vectors or
// is a multiple of it.
template <int row_vectors, int vector>
struct LoadPartition {
  int row, element;
  __device__ __forceinline__ explicit LoadPartition(int thread)
      : row(thread / row_vectors), element(thread % row_vectors * vector) {}
  // Of a thread's i-th load, counted from its first.
  __device__ __forceinline__ static constexpr int rows_on(int i) { return i * THREADS / row_vectors; }
  __device__ __forceinline__ static constexpr int elements_on(int i) {
    return i * THREADS % row_vectors * vector;
  }
  // From load i to the next, in elements of global memory.
  __device__ __forceinline__ static long long step(int i, long long pitch) {
    return (rows_on(i + 1) - rows_on(i)) * pitch + elements_on(i + 1) - elements_on(i);
  }
};
using PartitionA = LoadPartition<BLOCK_K / kVectorA, kVectorA>;
using PartitionB = LoadPartition<BLOCK_N / VECTOR, VECTOR>;
constexpr int kLoadsA = BLOCK_M * BLOCK_K / kVectorA / THREADS;  // of a thread and tile
constexpr int kLoadsB = BLOCK_N * BLOCK_K / VECTOR / THREADS;

// Copies 1 or 4 elements, bypassing registers (cp.async) where LOAD asks for it; where `exists` is false, zeros.
__device__ __forceinline__ void copy_elements(float* to, const float* from, bool exists, int elements) {
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = exists ? elements * 4 : 0;
  if (elements == 4) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes)
                 : "memory");
  }
#else
  for (int i = 0; i < elements; ++i) to[i] = exists ? from[i] : 0.0f;
#endif
}

// Copies tiles of which only `rows`, `steps` and `columns` exist, or whose rows are not aligned; what is outside of the
// matrices becomes 0. A width is 4 where the matrix's rows are aligned, else 1. The loops are not unrolled and bypass
// registers: the edge takes little of the time, and unrolled it took half of the compiler's.
__device__ __forceinline__ void copy_edge_tiles(float* stage, const float* __restrict__ a,
                                                const float* __restrict__ b, long long k, long long n,
                                                int rows, int steps, int columns, int width_a, int width_b) {
  if (!LOAD_ASYNC || A_TRANSPOSED) width_a = 1;
  if (!LOAD_ASYNC) width_b = 1;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) * width_a; i < BLOCK_M * BLOCK_K; i += THREADS * width_a) {
    const int row = i / BLOCK_K;
    const int step = i % BLOCK_K;
    const bool exists = row < rows && step < steps;
    copy_elements(stage + offset_in_a(row, step), exists ? a + row * k + step : a, exists, width_a);
  }
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) * width_b; i < BLOCK_K * BLOCK_N; i += THREADS * width_b) {
    const int step = i / BLOCK_N;
    const int column = i % BLOCK_N;
    const bool exists = step < steps && column < columns;
    copy_elements(stage + kTileA + i, exists ? b + step * n + column : b, exists, width_b);
  }
}

#if LOAD_ASYNC
// Starts the copies of whole tiles, of which `a` and `b` are the thread's first elements.
__device__ __forceinline__ void copy_whole_tiles(float* stage, const float* __restrict__ a,
                                                 const float* __restrict__ b, long long k, long long n,
                                                 const PartitionA& partition_a,
                                                 const PartitionB& partition_b) {
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
    const int row = partition_a.row + PartitionA::rows_on(i);
    const int step = partition_a.element + PartitionA::elements_on(i);
    copy_elements(stage + offset_in_a(row, step), a, true, kVectorA);
    a += PartitionA::step(i, k);
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    const int row = partition_b.row + PartitionB::rows_on(i);
    const int column = partition_b.element + PartitionB::elements_on(i);
    copy_elements(stage + kTileA + row * BLOCK_N + column, b, true, VECTOR);
    b += PartitionB::step(i, n);
  }
}
#else
// Loads a thread's part of a whole tile, whose first element is at `source`. How far the other loads are from the
// first is the same for all threads, which saves registers.
template <class Partition, int vector, int loads>
__device__ __forceinline__ void load_whole_tile(Pack<vector> (&target)[loads],
                                                const float* __restrict__ source, long long pitch) {
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    const float* from = source + Partition::rows_on(i) * pitch + Partition::elements_on(i);
    target[i].vector = __ldg(reinterpret_cast<const typename VectorOf<vector>::Type*>(from));
  }
}

__device__ __forceinline__ void store_whole_tiles(float* stage, const Pack<kVectorA> (&a)[kLoadsA],
                                                  const Pack<VECTOR> (&b)[kLoadsB],
                                                  const PartitionA& partition_a,
                                                  const PartitionB& partition_b) {
#pragma unroll
  for (int i = 0; i < kLoadsA; ++i) {
#pragma unroll
    for (int j = 0; j < kVectorA; ++j) {
      const int row = partition_a.row + PartitionA::rows_on(i);
      const int step = partition_a.element + PartitionA::elements_on(i) + j;
      stage[offset_in_a(row, step)] = a[i].item[j];
    }
  }
#pragma unroll
  for (int i = 0; i < kLoadsB; ++i) {
    const int row = partition_b.row + PartitionB::rows_on(i);
    const int column = partition_b.element + PartitionB::elements_on(i);
    float* to = stage + kTileA + row * BLOCK_N + column;
    *reinterpret_cast<typename VectorOf<VECTOR>::Type*>(to) = b[i].vector;
  }
}
#endif

__device__ __forceinline__ void read_vector(float* items, const float* from) {
  const float4 vector = *reinterpret_cast<const float4*>(from);
  items[0] = vector.x, items[1] = vector.y, items[2] = vector.z, items[3] = vector.w;
}

// A thread's operands of one step; where A's tile is row-major, A's of four steps.
struct Fragment {
  float a[THREAD_M][A_TRANSPOSED ? 1 : 4];
  float b[THREAD_N];
};

// Where a thread's operands begin in a stage, and its elements of C in the block's tile.
struct ThreadPlace {
  int row, column;
  int a, b;
  __device__ __forceinline__ explicit ThreadPlace(int thread) {
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int lane_m = COLUMN_PAIRS ? lane / (2 * kLanesN) * 2 + lane % 2 : lane / kLanesN;
    const int lane_n = COLUMN_PAIRS ? lane / 2 % kLanesN : lane % kLanesN;
    row = warp / kWarpsN * kWarpM + lane_m * (A_TRANSPOSED ? 4 : 1);
    column = warp % kWarpsN * kWarpN + lane_n * 4;
    a = A_TRANSPOSED ? row : offset_in_a(row, 0);
    b = kTileA + column;
  }
};

__device__ __forceinline__ void read_a(Fragment& fragment, const float* stage, const ThreadPlace& place,
                                       int step) {
#pragma unroll
  for (int i = 0; i < THREAD_M; i += A_TRANSPOSED ? 4 : 1) {
    if (A_TRANSPOSED) {
      float items[4];
      read_vector(items, stage + place.a + step * kPitchA + row_of(i));
#pragma unroll
      for (int j = 0; j < 4; ++j) fragment.a[i + j][0] = items[j];
    } else {
      read_vector(fragment.a[i], stage + (place.a ^ step ^ swizzle(row_of(i))) + row_of(i) * BLOCK_K);
    }
  }
}

__device__ __forceinline__ void read_b(Fragment& fragment, const float* stage, const ThreadPlace& place,
                                       int step) {
#pragma unroll
  for (int j = 0; j < THREAD_N; j += 4) {
    read_vector(fragment.b + j, stage + place.b + step * BLOCK_N + j * kLanesN);
  }
}

using Sums = float[THREAD_M][THREAD_N];

// Adds the products of one step: A's operands are in `a`, B's in `b`.
__device__ __forceinline__ void multiply(Sums& sums, const Fragment& a, const Fragment& b, int step) {
  const int item = A_TRANSPOSED ? 0 : step % 4;
#pragma unroll
  for (int outer = 0; outer < (COLUMN_MAJOR ? THREAD_N : THREAD_M); ++outer) {
#pragma unroll
    for (int inner = 0; inner < (COLUMN_MAJOR ? THREAD_M : THREAD_N); ++inner) {
      const int i = COLUMN_MAJOR ? inner : outer;
      const int j = COLUMN_MAJOR ? outer : SERPENTINE && outer % 2 == 1 ? THREAD_N - 1 - inner : inner;
      sums[i][j] += a.a[i][item] * b.b[j];
    }
  }
}

// Adds the products of the tile in `stage`. With two buffers the operands of a step are read while those of the step
// before are multiplied, hence those of a tile's first step at the end of the tile before. `advance` ends the work on a
// stage and makes `stage` the next.
template <class Advance>
__device__ __forceinline__ void multiply_tile(Sums& sums, Fragment (&fragments)[FRAGMENT_BUFFERS],
                                              const float* stages, const int& stage, const ThreadPlace& place,
                                              const Advance& advance) {
  const float* current = stages + stage * kStage;
#pragma unroll kUnroll
  for (int step = 0; step < BLOCK_K; ++step) {
#if FRAGMENT_BUFFERS == 2
    if (step + 1 == BLOCK_K) {
      advance();
      current = stages + stage * kStage;
    }
    const int next = (step + 1) % BLOCK_K;
    read_b(fragments[(step + 1) % 2], current, place, next);
    if (A_TRANSPOSED) {
      read_a(fragments[(step + 1) % 2], current, place, next);
      multiply(sums, fragments[step % 2], fragments[step % 2], step);
    } else if (step % 4 == 3) {
      read_a(fragments[(step / 4 + 1) % 2], current, place, next);
      multiply(sums, fragments[step / 4 % 2], fragments[step % 2], step);
    } else {
      multiply(sums, fragments[step / 4 % 2], fragments[step % 2], step);
    }
#else
    if (A_TRANSPOSED || step % 4 == 0) read_a(fragments[0], current, place, step);
    read_b(fragments[0], current, place, step);
    multiply(sums, fragments[0], fragments[0], step);
#endif
  }
#if FRAGMENT_BUFFERS == 1
  advance();
#endif
}
