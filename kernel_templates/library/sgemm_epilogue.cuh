#pragma once

// What becomes of a thread's sums in sgemm.cu: they are written to C, to partial sums for a second kernel, added to C
// atomically, or joined within a cluster of blocks.

#include "sgemm_tiles.cuh"

// Accesses to four elements under a condition, in PTX because a predicate is no branch: with a branch for each vector
// the assembler took longer than for all the rest.
__device__ __forceinline__ void load_if(float4& vector, const float* from, bool condition) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
               : "+f"(vector.x), "+f"(vector.y), "+f"(vector.z), "+f"(vector.w)
               : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(condition)));
#else
  if (condition) vector = *reinterpret_cast<const float4*>(from);
#endif
}

__device__ __forceinline__ void store_if(float* to, const float4& vector, bool condition) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.global.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(vector.x),
      "f"(vector.y), "f"(vector.z), "f"(vector.w), "l"(__cvta_generic_to_global(to)),
      "r"(static_cast<int>(condition))
      : "memory");
#else
  if (condition) *reinterpret_cast<float4*>(to) = vector;
#endif
}

// Adds to four elements in memory.
__device__ __forceinline__ void add_if(float* to, const float4& vector, bool condition) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %5, 0; @p red.global.add.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(
          vector.x),
      "f"(vector.y), "f"(vector.z), "f"(vector.w), "l"(__cvta_generic_to_global(to)),
      "r"(static_cast<int>(condition))
      : "memory");
#else
  if (!condition) return;
  atomicAdd(to, vector.x);
  atomicAdd(to + 1, vector.y);
  atomicAdd(to + 2, vector.z);
  atomicAdd(to + 3, vector.w);
#endif
}

// Writes C's four elements at `to`, of which the first `columns` exist, from the sums in `vector`.
__device__ __forceinline__ void write_vector(float* to, const float4& vector, float alpha, float beta,
                                             long long columns, bool aligned) {
  if (aligned) {
    float4 old = {0.0f, 0.0f, 0.0f, 0.0f};
    if (beta != 0.0f) old = *reinterpret_cast<const float4*>(to);
    old.x = alpha * vector.x + beta * old.x;
    old.y = alpha * vector.y + beta * old.y;
    old.z = alpha * vector.z + beta * old.z;
    old.w = alpha * vector.w + beta * old.w;
    *reinterpret_cast<float4*>(to) = old;
  } else {
    const float items[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < columns) to[i] = alpha * items[i] + (beta != 0.0f ? beta * to[i] : 0.0f);
    }
  }
}

#if REDUCE_IN_CLUSTER
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// Four elements of the shared memory of the cluster's block `rank`, at the place of this block's `from`.
__device__ __forceinline__ float4 read_from_block(const float* from, unsigned rank) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(rank));
  float4 vector;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(vector.x), "=f"(vector.y), "=f"(vector.z), "=f"(vector.w)
               : "r"(address)
               : "memory");
  return vector;
}

// Joins the sums of a cluster's blocks through shared memory. Block number `part` writes its part of the vectors of the
// tile whose first element is (row0, column0) and of which `rows` by `columns` elements exist.
__device__ __forceinline__ void reduce_in_cluster(const Sums& sums, float* shared, const ThreadPlace& place,
                                                  unsigned part, float* c, long long n, long long row0,
                                                  long long column0, int rows, int columns, float alpha,
                                                  float beta) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      *reinterpret_cast<float4*>(shared + (place.row + row_of(i)) * BLOCK_N + place.column + j * kLanesN) = {
          sums[i][j ^ SERPENTINE], sums[i][(j + 1) ^ SERPENTINE], sums[i][(j + 2) ^ SERPENTINE],
          sums[i][(j + 3) ^ SERPENTINE]};
    }
  }
  cluster_sync();
  const int thread = static_cast<int>(threadIdx.x);
  const bool aligned = n % 4 == 0 && reinterpret_cast<size_t>(c) % 16 == 0;
#pragma unroll 1
  for (int i = (static_cast<int>(part) * THREADS + thread) * 4; i < BLOCK_M * BLOCK_N;
       i += SPLIT_K * THREADS * 4) {
    const int row = i / BLOCK_N;
    const int column = i % BLOCK_N;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (unsigned rank = 0; rank < SPLIT_K; ++rank) {
      const float4 vector = read_from_block(shared + i, rank);
      sum.x += vector.x, sum.y += vector.y, sum.z += vector.z, sum.w += vector.w;
    }
#if SERPENTINE
    sum = {sum.y, sum.x, sum.w, sum.z};
#endif
    if (row < rows && column < columns) {
      write_vector(c + (row0 + row) * n + column0 + column, sum, alpha, beta, columns - column, aligned);
    }
  }
  cluster_sync();  // a block's memory stays until all have read it
}
#else
// Writes or adds a thread's sums by vectors. Columns are multiples of 4: a vector exists in full or not at all. `rows`
// and `columns` exist from `corner` on, the place of the thread's first sum.
__device__ __forceinline__ void write_vectors(const Sums& sums, float* corner, long long n, int rows,
                                              int columns, float alpha, float beta) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      const int column = j * kLanesN;
      const bool exists = row_of(i) < rows && column < columns;
      float* const to = corner + row_of(i) * n + column;
      float4 vector = {0.0f, 0.0f, 0.0f, 0.0f};
#if !REDUCE_BY_ATOMICS
      load_if(vector, to, exists && beta != 0.0f);
#endif
      vector.x = alpha * sums[i][j] + beta * vector.x;
      vector.y = alpha * sums[i][j + 1] + beta * vector.y;
      vector.z = alpha * sums[i][j + 2] + beta * vector.z;
      vector.w = alpha * sums[i][j + 3] + beta * vector.w;
#if REDUCE_BY_ATOMICS
      add_if(to, vector, exists);
#else
      store_if(to, vector, exists);
#endif
    }
  }
}

// The same element by element, for any alignment. `kept` are the thread's sums in local memory, for a loop that is not
// unrolled.
__device__ __forceinline__ void write_elements(const float (&kept)[THREAD_M * THREAD_N], float* corner,
                                               long long n, int rows, int columns, float alpha, float beta) {
#pragma unroll 1
  for (int index = 0; index < THREAD_M * THREAD_N; ++index) {
    const int row = row_of(index / THREAD_N);
    const int j = (index % THREAD_N) ^ SERPENTINE;
    const int column = j / 4 * kLanesN * 4 + j % 4;
    if (row >= rows || column >= columns) continue;
    float* to = corner + row * n + column;
#if REDUCE_BY_ATOMICS
    atomicAdd(to, alpha * kept[index]);
#else
    *to = alpha * kept[index] + (beta != 0.0f ? beta * *to : 0.0f);
#endif
  }
}
#endif
