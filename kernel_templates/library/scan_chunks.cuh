#pragma once

// The scans in several kernels: totals of chunks, or of tiles, come before the scan of what they are totals of.

#include "scan_tile.cuh"

// The tiles of a block: from `tile` up to `end`.
struct Chunk {
  long long tile, end;
};
__device__ __forceinline__ Chunk chunk_of_block(long long n) {
#if REDUCE_THEN_SCAN
  const long long tiles = (n + kTile - 1) / kTile;
  const long long each = (tiles + gridDim.x - 1) / gridDim.x;
  const long long tile = blockIdx.x * each;
  return {tile, tile + each < tiles ? tile + each : tiles};
#else
  return {static_cast<long long>(blockIdx.x), static_cast<long long>(blockIdx.x) + 1};
#endif
}

__global__ void __launch_bounds__(BLOCK)
    reduce_chunks(const dtype* __restrict__ a, accumulator*, unsigned long long* words, unsigned long long*,
                  long long n) {
  const bool aligned = reinterpret_cast<size_t>(a) % sizeof(Pack) == 0;
  const Chunk chunk = chunk_of_block(n);
  accumulator sum = identity();
#pragma unroll 1
  for (long long tile = chunk.tile; tile < chunk.end; ++tile) {
    const long long first = tile * kTile;
    if (aligned && first + kTile <= n) {
      const auto* from =
          reinterpret_cast<const WordOf<VECTOR * sizeof(dtype)>::Type*>(a + first) + threadIdx.x;
      Pack packs[VECTORS_PER_THREAD];
#pragma unroll
      for (int i = 0; i < VECTORS_PER_THREAD; ++i) packs[i].word = __ldg(from + i * BLOCK);
#pragma unroll
      for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) sum = join(sum, to_accumulator(packs[i].item[j]));
      }
    } else {
      const long long end = first + kTile < n ? first + kTile : n;
#pragma unroll 4
      for (long long i = first + threadIdx.x; i < end; i += BLOCK)
        sum = join(sum, to_accumulator(__ldg(a + i)));
    }
  }
  accumulator sums[1] = {sum};
  scan_lanes(sums, 32);
  accumulator total;
  scan_block(__shfl_sync(0xffffffffu, sums[0], 31), total);
  if (threadIdx.x == 0) reinterpret_cast<accumulator*>(words)[blockIdx.x] = total;
}

#if !REDUCE_THEN_SCAN
// Replaces the totals of tiles by what comes before each.
__global__ void __launch_bounds__(BLOCK)
    scan_totals(const dtype*, accumulator*, unsigned long long* words, unsigned long long*, long long n) {
  accumulator* totals = reinterpret_cast<accumulator*>(words);
  const long long tiles = (n + kTile - 1) / kTile;
  accumulator carry = identity();
#pragma unroll 1
  for (long long first = 0; first < tiles; first += BLOCK) {
    const long long at = first + threadIdx.x;
    accumulator sums[1] = {at < tiles ? totals[at] : identity()};
    scan_lanes(sums, 32);
    const accumulator in_warp = __shfl_up_sync(0xffffffffu, sums[0], 1);
    accumulator total;
    const accumulator before = join(carry, scan_block(__shfl_sync(0xffffffffu, sums[0], 31), total));
    if (at < tiles) totals[at] = threadIdx.x % 32 == 0 ? before : join(before, in_warp);
    carry = join(carry, total);
    __syncthreads();
  }
}
#endif

__global__ void __launch_bounds__(BLOCK) scan(const dtype* __restrict__ a, accumulator* __restrict__ out,
                                              unsigned long long* words, unsigned long long*, long long n) {
  const accumulator* totals = reinterpret_cast<const accumulator*>(words);
  const bool in_aligned = reinterpret_cast<size_t>(a) % sizeof(Pack) == 0;
  const bool out_aligned = reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0;
  const Chunk chunk = chunk_of_block(n);
  accumulator carry;
#if REDUCE_THEN_SCAN
  accumulator sums[1] = {identity()};
  for (unsigned i = threadIdx.x; i < blockIdx.x; i += BLOCK) sums[0] = join(sums[0], totals[i]);
  scan_lanes(sums, 32);
  scan_block(__shfl_sync(0xffffffffu, sums[0], 31), carry);
  __syncthreads();
#else
  carry = totals[blockIdx.x];
#endif
#pragma unroll 1
  for (long long tile = chunk.tile; tile < chunk.end; ++tile) {
    const long long first = tile * kTile;
    accumulator values[VECTORS_PER_THREAD][VECTOR], offsets[kOffsets];
    load_tile(values, a, first, n, in_aligned);
    accumulator total;
    const accumulator warp_total = scan_warp(values, offsets);
    const accumulator before = scan_block(warp_total, total);
    store_tile(values, offsets, join(carry, before), out, first, n, out_aligned);
    carry = join(carry, total);
    __syncthreads();
  }
}
