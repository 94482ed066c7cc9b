#pragma once

// What softmax and layernorm share: kernels that read the rows of a row-major matrix once or several times and write
// as many. A row is taken by THREADS_PER_ROW threads of a block, or of each block of a cluster of CLUSTER blocks. The
// macros are the parameters of both definitions and the following defines:
//   VECTORS           vector loads of a thread in a batch, of VECTOR elements each
//   ROW_IN_REGISTERS  one batch is a thread's whole part of the row
//   ROW_IN_SHARED     the row is copied to shared memory first, by cp.async where LOAD_CP_ASYNC holds
//   LOAD_HINT         the LoadHint of loads into registers
//   PERSISTENT        a block goes on to further rows

#if CLUSTER > 1
#include "cluster.cuh"
#endif
#include "element_types.cuh"
#include "memory_access.cuh"
#include "warp_reduction.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;  // one vector load
using Element = WordOf<sizeof(dtype)>::Type;        // an element as bits

union Pack {
  Word word;
  Element item[VECTOR];
};

union ElementCast {
  Element bits;
  dtype value;
  __device__ __forceinline__ ElementCast() {}
};

__device__ __forceinline__ float to_float(Element bits) {
  ElementCast cast;
  cast.bits = bits;
  return widen(cast.value);
}

__device__ __forceinline__ Element to_element(float value) {
  ElementCast cast;
  cast.value = narrow(value);
  return cast.bits;
}

constexpr int kThreads = THREADS_PER_ROW * ROWS_PER_BLOCK;
constexpr int kBatch = VECTORS * VECTOR;                                // elements of a thread in a batch
constexpr int kRowLanes = THREADS_PER_ROW < 32 ? THREADS_PER_ROW : 32;  // lanes of a warp that share a row

// Gives every warp of a row the values of all its warps. Lane i gets those of the slots i, i + 32, ... Two sets of
// slots are used in turn, because a warp may still read those of the exchange before.
#if THREADS_PER_ROW > 32
constexpr int kSlots = THREADS_PER_ROW / 32 * CLUSTER;  // warps that share a row
constexpr int kSlotsPerLane = kSlots > 32 ? kSlots / 32 : 1;
constexpr int kSlotLanes = kSlots < 32 ? kSlots : 32;

struct RowExchange {
  float2* slots;  // of this row: two sets of kSlots
  int rank;       // of the block in its cluster
  int turn;       // the set in use

  __device__ __forceinline__ void put(float2 own) {
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32;
    float2* place = slots + turn * kSlots + rank * (THREADS_PER_ROW / 32) + thread % THREADS_PER_ROW / 32;
#if CLUSTER > 1
    if (lane < CLUSTER) store_in_cluster(place, lane, own);
    __syncwarp();
    cluster_sync();
#else
    if (lane == 0) *place = own;
    __syncthreads();
#endif
  }
  __device__ __forceinline__ float2 get(int i) const {
    return slots[turn * kSlots + (threadIdx.x % 32 + i * 32) % kSlots];
  }
  __device__ __forceinline__ void end() { turn ^= 1; }
};
#else
struct RowExchange {};  // shuffles are enough
#endif

// A block's part of a row. A thread takes every THREADS_PER_ROW-th vector of it, or element where vectors would not be
// aligned.
struct RowSlice {
  const dtype* in;
  dtype* out;
  int count;  // vectors or elements
  bool vectorized;
  int thread;  // among those of the row

  // The place of a thread's element `item` of batch `batch` in the slice, in vectors or elements.
  __device__ __forceinline__ int place(int batch, int item) const {
    return thread + THREADS_PER_ROW * (vectorized ? batch * VECTORS + item / VECTOR : batch * kBatch + item);
  }
  __device__ __forceinline__ int batches() const {
    const int units = (vectorized ? VECTORS : kBatch) * THREADS_PER_ROW;
    return (count + units - 1) / units;
  }
};

// `in_place` says that the kernel has written what it reads.
template <LoadHint hint, bool in_place = false, class T>
__device__ __forceinline__ T load_input(const T* from) {
  if constexpr (hint == LoadHint::no_allocate) return load_word<hint, in_place>(global_address(from));
  return load_word<hint, in_place>(from);
}

#if ROW_IN_SHARED
// Copies a thread's part of a slice to its places in shared memory, or begins to. No other thread reads them: there
// is no barrier. A kernel says by copy_batch(kept, slice, batch) how the vectors of a batch go through registers.
template <class Slice>
__device__ __forceinline__ void copy_row(Word* kept, const Slice& slice) {
  if (slice.vectorized) {
#if LOAD_CP_ASYNC
    const Word* source = reinterpret_cast<const Word*>(slice.in);
#pragma unroll 4
    for (int i = slice.thread; i < slice.count; i += THREADS_PER_ROW)
      begin_copy(kept + i, global_address(source + i));
#else
    for (int batch = 0; batch * VECTORS * THREADS_PER_ROW < slice.count; ++batch)
      copy_batch(kept, slice, batch);
#endif
  } else {
    const Element* source = reinterpret_cast<const Element*>(slice.in);
    Element* target = reinterpret_cast<Element*>(kept);
#pragma unroll 4
    for (int i = slice.thread; i < slice.count; i += THREADS_PER_ROW) {
      target[i] = load_input<LoadHint::LOAD_HINT>(source + i);
    }
  }
#if LOAD_CP_ASYNC
  commit_copies();
#endif
}
#endif

// Calls process_row(slice, kept, state), the kernel's own, for each of the block's rows. `kept` is the row's copy in
// shared memory, if there is one, and `state` is what a thread keeps from row to row. slice_of(first_row) returns the
// slice of this thread's row when the block begins with row `first_row`. Slices of rows that do not exist are empty.
template <class SliceOf, class State>
__device__ __forceinline__ void for_each_row(long long rows, int columns, int row_of_block,
                                             const SliceOf& slice_of, State& state) {
  const long long step = static_cast<long long>(gridDim.x / CLUSTER) * ROWS_PER_BLOCK;
  long long first_row = static_cast<long long>(blockIdx.x / CLUSTER) * ROWS_PER_BLOCK;
#if ROW_IN_SHARED
  extern __shared__ uint4 shared_memory[];
  constexpr int kRound = VECTOR * CLUSTER * VECTORS * THREADS_PER_ROW;  // elements of a batch of all threads
  const int pitch =
      (columns + kRound - 1) / kRound * VECTORS * THREADS_PER_ROW;  // vectors of a row in shared memory
  Word* kept = reinterpret_cast<Word*>(shared_memory) + row_of_block * pitch;
#if STAGES == 2
  Word* next_kept = kept + ROWS_PER_BLOCK * pitch;
  copy_row(kept, slice_of(first_row));
#endif
#else
  const Word* kept = nullptr;
#endif

  for (; first_row < rows; first_row += step) {
    const auto slice = slice_of(first_row);
#if ROW_IN_SHARED
#if STAGES == 2
    copy_row(next_kept, slice_of(first_row + step));
#else
    copy_row(kept, slice);
#endif
#if LOAD_CP_ASYNC
    wait_for_copies<STAGES - 1>();
#endif
#endif
    process_row(slice, kept, state);
#if ROW_IN_SHARED && STAGES == 2
    Word* const done = kept;
    kept = next_kept;
    next_kept = done;
#endif
#if !PERSISTENT
    break;
#endif
  }
}

#ifdef WARPTUNE_REFERENCE
// The values of all 256 threads of a block joined, each thread gets the result. `values` is shared memory for as many.
template <class Join>
__device__ __forceinline__ double join_reference_block(double own, double* values, Join join) {
  values[threadIdx.x] = own;
  __syncthreads();
  double result = Join::identity();
  for (int i = 0; i < 256; ++i) result = join(result, values[i]);
  __syncthreads();
  return result;
}
#endif
