#pragma once

// A tile of a scan in registers: loading it, scanning it within the block, storing the results.

#include "element_types.cuh"
#include "memory_access.cuh"
#include "warp_reduction.cuh"

// A vector of the input and of the result.
union Pack {
  WordOf<VECTOR * sizeof(dtype)>::Type word;
  dtype item[VECTOR];
};
union ResultPack {
  WordOf<VECTOR * sizeof(accumulator)>::Type word;
  accumulator item[VECTOR];
};

constexpr int kWarps = BLOCK / 32;
constexpr int kStripe = 32 * VECTOR;                 // elements of a warp's stripe of vectors
constexpr int kPart = kStripe * VECTORS_PER_THREAD;  // and of its part of a tile
constexpr int kTile = kPart * kWarps;

#if IS_MAX
using Join = Maximum<accumulator>;
#else
using Join = Sum<accumulator>;
#endif

__device__ __forceinline__ accumulator join(accumulator x, accumulator y) { return Join()(x, y); }
__device__ __forceinline__ accumulator identity() { return Join::identity(); }

__device__ __forceinline__ accumulator to_accumulator(dtype element) {
  return static_cast<accumulator>(widen(element));
}

// The number of a thread's vector `i` among those of its warp.
__device__ __forceinline__ int word_of(int lane, int i) {
#if WARP_STRIPED
  return i * 32 + lane;
#else
  return lane * VECTORS_PER_THREAD + i;
#endif
}

#if WARP_TRANSPOSE
// Transposes a warp's vectors from striped to runs of each lane (`to_runs`) or back. One vector's place is left free
// after every 128 bytes, which spreads both accesses over the banks.
template <bool to_runs, class P>
__device__ __forceinline__ void transpose(P (&words)[VECTORS_PER_THREAD]) {
  extern __shared__ uint4 shared_words[];
  constexpr int kBytes = VECTOR * (sizeof(dtype) > sizeof(accumulator) ? sizeof(dtype) : sizeof(accumulator));
  constexpr int kGroup = 128 / sizeof(P);
  constexpr int kRegion =
      (32 * VECTORS_PER_THREAD + 32 * VECTORS_PER_THREAD * kBytes / 128 + 1) * kBytes;  // bytes of a warp
  const int lane = static_cast<int>(threadIdx.x % 32);
  P* mine = reinterpret_cast<P*>(reinterpret_cast<unsigned char*>(shared_words) + threadIdx.x / 32 * kRegion);
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
    const int at = to_runs ? i * 32 + lane : lane * VECTORS_PER_THREAD + i;
    mine[at + at / kGroup].word = words[i].word;
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
    const int at = to_runs ? lane * VECTORS_PER_THREAD + i : i * 32 + lane;
    words[i].word = mine[at + at / kGroup].word;
  }
  __syncwarp();
}
#endif

// A thread's elements of the tile at `first`; those past the end are the identity.
__device__ __forceinline__ void load_tile(accumulator (&values)[VECTORS_PER_THREAD][VECTOR],
                                          const dtype* __restrict__ a, long long first, long long n,
                                          bool aligned) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long part = first + threadIdx.x / 32 * kPart;
  if (aligned && first + kTile <= n) {
    const auto* words = reinterpret_cast<const WordOf<VECTOR * sizeof(dtype)>::Type*>(a + part);
    Pack packs[VECTORS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#if WARP_TRANSPOSE
      packs[i].word = load_word<LoadHint::LOAD>(words + i * 32 + lane);
#else
      packs[i].word = load_word<LoadHint::LOAD>(words + word_of(lane, i));
#endif
    }
#if WARP_TRANSPOSE
    transpose<true>(packs);
#endif
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) values[i][j] = to_accumulator(packs[i].item[j]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      const long long at = part + word_of(lane, i) * VECTOR;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j)
        values[i][j] = at + j < n ? to_accumulator(__ldg(a + at + j)) : identity();
    }
  }
}

// The elements of a stripe, or of a whole run, have an offset in common: what the threads of the warp before them add
// up to.
#if WARP_STRIPED
constexpr int kOffsets = VECTORS_PER_THREAD;
#else
constexpr int kOffsets = 1;
#endif

// All lanes' values joined up to and with each lane's.
template <int count>
__device__ __forceinline__ void scan_lanes(accumulator (&values)[count], int width) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int distance = 1; distance < width; distance *= 2) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const accumulator other = __shfl_up_sync(0xffffffffu, values[i], distance);
      if (lane >= distance) values[i] = join(other, values[i]);
    }
  }
}

// Scans a thread's values within each vector or run; `offsets` get what comes before them in the warp. Returns the
// warp's total.
__device__ __forceinline__ accumulator scan_warp(accumulator (&values)[VECTORS_PER_THREAD][VECTOR],
                                                 accumulator (&offsets)[kOffsets]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  accumulator ends[kOffsets];
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      if (j > 0) {
        values[i][j] = join(values[i][j - 1], values[i][j]);
      } else if (i > 0 && kOffsets == 1) {
        values[i][j] = join(values[i - 1][VECTOR - 1], values[i][j]);
      }
    }
    ends[kOffsets == 1 ? 0 : i] = values[i][VECTOR - 1];
  }
  scan_lanes(ends, 32);
  accumulator total = identity();
#pragma unroll
  for (int i = 0; i < kOffsets; ++i) {
    const accumulator before = __shfl_up_sync(0xffffffffu, ends[i], 1);
    offsets[i] = lane == 0 ? total : join(total, before);
    total = join(total, __shfl_sync(0xffffffffu, ends[i], 31));
  }
  return total;
}

// From the warps' totals what comes before this warp in the block, and the block's total. Has a barrier; another one
// must come before the next call.
__device__ __forceinline__ accumulator scan_block(accumulator warp_total, accumulator& block_total) {
  __shared__ accumulator of_warps[kWarps];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (lane == 0) of_warps[warp] = warp_total;
  __syncthreads();
  accumulator totals[1] = {lane < kWarps ? of_warps[lane] : identity()};
  scan_lanes(totals, kWarps);
  block_total = __shfl_sync(0xffffffffu, totals[0], kWarps - 1);
  const accumulator before = __shfl_sync(0xffffffffu, totals[0], warp == 0 ? 0 : warp - 1);
  return warp == 0 ? identity() : before;
}

// Writes a tile's results, all of which `base` comes before.
__device__ __forceinline__ void store_tile(accumulator (&values)[VECTORS_PER_THREAD][VECTOR],
                                           const accumulator (&offsets)[kOffsets], accumulator base,
                                           accumulator* __restrict__ out, long long first, long long n,
                                           bool aligned) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long part = first + threadIdx.x / 32 * kPart;
  ResultPack packs[VECTORS_PER_THREAD];
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
    const accumulator before = join(base, offsets[kOffsets == 1 ? 0 : i]);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
#if EXCLUSIVE
      if (j > 0) {
        packs[i].item[j] = join(before, values[i][j - 1]);
      } else if (i > 0 && kOffsets == 1) {
        packs[i].item[j] = join(before, values[i - 1][VECTOR - 1]);
      } else {
        packs[i].item[j] = before;
      }
#else
      packs[i].item[j] = join(before, values[i][j]);
#endif
    }
  }
  if (aligned && first + kTile <= n) {
    auto* words = reinterpret_cast<WordOf<VECTOR * sizeof(accumulator)>::Type*>(out + part);
#if WARP_TRANSPOSE
    transpose<false>(packs);
#endif
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#if WARP_TRANSPOSE
      store_word<StoreHint::STORE>(words + i * 32 + lane, packs[i].word);
#else
      store_word<StoreHint::STORE>(words + word_of(lane, i), packs[i].word);
#endif
    }
  } else {
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
      const long long at = part + word_of(lane, i) * VECTOR;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        if (at + j < n) out[at + j] = packs[i].item[j];
      }
    }
  }
}
