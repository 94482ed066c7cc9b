#pragma once

// The scan by decoupled look-back: one kernel that reads once.

#include "bulk_copy.cuh"
#include "scan_tile.cuh"
#include "tagged_value.cuh"

// All lanes' values joined, for each of them.
__device__ __forceinline__ accumulator join_lanes(accumulator value) {
  return warp_all_reduce<32>(value, Join());
}

// What a tile publishes is a value with a tag. Tags are four times the number of the call, plus what the value is.
constexpr unsigned kTotal = 1;   // of the tile
constexpr unsigned kPrefix = 2;  // of all tiles up to this one
constexpr int kStep = tagged_step<accumulator>();

// What all tiles before `tile` add up to. The whole warp calls it: its lanes inspect the tiles backwards from it,
// LOOK_BACK_WINDOW each.
__device__ __forceinline__ accumulator look_back(const unsigned long long* words, long long tile,
                                                 unsigned call) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  accumulator sum = identity();
  long long at = tile - 1 - lane;
  bool found = false;
  while (!found) {
    accumulator value[LOOK_BACK_WINDOW];
    unsigned tag[LOOK_BACK_WINDOW];
#pragma unroll
    for (int w = 0; w < LOOK_BACK_WINDOW; ++w) {
      value[w] = identity();
      tag[w] = call + kPrefix;  // before the first tile
      if (at - 32 * w >= 0) tag[w] = read_tagged(words + (at - 32 * w) * kStep, value[w]);
    }
#pragma unroll
    for (int w = 0; w < LOOK_BACK_WINDOW; ++w) {
      if (!found) {
        unsigned nearer;  // lanes before the nearest prefix
        for (;;) {
          const unsigned prefixes = __ballot_sync(0xffffffffu, tag[w] == call + kPrefix);
          const unsigned missing =
              __ballot_sync(0xffffffffu, tag[w] != call + kPrefix && tag[w] != call + kTotal);
          nearer = prefixes == 0 ? 0xffffffffu : (prefixes & (0u - prefixes)) - 1;
          found = prefixes != 0;
          if ((missing & nearer) == 0) break;
#if POLL_DELAY_NS > 0 && defined(__CUDA_ARCH__)
          asm volatile("nanosleep.u32 %0;" ::"n"(POLL_DELAY_NS));
#endif
          if (missing >> lane & 1) tag[w] = read_tagged(words + (at - 32 * w) * kStep, value[w]);
        }
        // With a prefix, the lanes up to it; without one, all.
        const unsigned counting = nearer << 1 | 1;
        if (counting >> lane & 1) sum = join(sum, value[w]);
      }
    }
    at -= 32 * LOOK_BACK_WINDOW;
  }
  return join_lanes(sum);
}

// A warp publishes the total of its block's tile, if that has not been done ahead, and returns what comes before the
// tile.
__device__ __forceinline__ accumulator prefix_of_tile(unsigned long long* words, long long tile,
                                                      unsigned call, accumulator total) {
  accumulator prefix = identity();
  if (tile > 0) {
    if (!PUBLISH_AHEAD && threadIdx.x % 32 == 0) write_tagged(words + tile * kStep, total, call + kTotal);
    prefix = look_back(words, tile, call);
  }
  if (threadIdx.x % 32 == 0) write_tagged(words + tile * kStep, join(prefix, total), call + kPrefix);
  return prefix;
}

// What `state` was when a thread took a number from it, from 0 on in every call, holds the call's tag too. Who has
// the last number starts the next call: nobody will look at `state` again in this one.
__device__ __forceinline__ unsigned tag_of_call(unsigned long long old, unsigned last,
                                                unsigned long long* state) {
  const unsigned calls = static_cast<unsigned>(old >> 32) + 1;
  if (static_cast<unsigned>(old) == last) *state = static_cast<unsigned long long>(calls & 0x3fffffffu) << 32;
  return calls << 2;
}
#if !PATH_CP_ASYNC_BULK
__global__ void __launch_bounds__(BLOCK)
    scan(const dtype* __restrict__ a, accumulator* __restrict__ out, unsigned long long* words,
         unsigned long long* state, long long n) {
  __shared__ accumulator shared_prefix[1];
  unsigned long long old = 0;
  if (threadIdx.x == 0) old = atomicAdd(state, 1ull);
#if BY_ATOMIC_COUNTER
  __shared__ unsigned shared_number[1];
  if (threadIdx.x == 0) shared_number[0] = static_cast<unsigned>(old);
  __syncthreads();
  const long long tile = shared_number[0];
#else
  const long long tile = blockIdx.x;
#endif
  const long long first = tile * kTile;
  accumulator values[VECTORS_PER_THREAD][VECTOR], offsets[kOffsets];
  load_tile(values, a, first, n, reinterpret_cast<size_t>(a) % sizeof(Pack) == 0);
  accumulator total;
  const accumulator warp_total = scan_warp(values, offsets);
  const accumulator before = scan_block(warp_total, total);
  if (threadIdx.x < 32) {
    unsigned call = threadIdx.x == 0 ? tag_of_call(old, gridDim.x - 1, state) : 0;
    call = __shfl_sync(0xffffffffu, call, 0);
    const accumulator prefix = prefix_of_tile(words, tile, call, total);
    if (threadIdx.x == 0) shared_prefix[0] = prefix;
  }
  __syncthreads();
  store_tile(values, offsets, join(shared_prefix[0], before), out, first, n,
             reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0);
}
#else
// Persistent blocks that take numbers of tiles ahead, one for each stage. A tile waits only for tiles of lower
// numbers, and of these the lowest that is not done is the next of its block: no block waits for ever.
__global__ void __launch_bounds__(BLOCK)
    scan(const dtype* __restrict__ a, accumulator* __restrict__ out, unsigned long long* words,
         unsigned long long* state, long long n) {
  extern __shared__ uint4 shared_words[];
  __shared__ unsigned long long full[STAGES];
  __shared__ unsigned numbers[STAGES];
  __shared__ unsigned shared_call[1];
  __shared__ accumulator shared_prefix[1];
  Pack* ring = reinterpret_cast<Pack*>(shared_words);
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  // Every block stops taking at the first number past the tiles.
  const unsigned last = tiles + gridDim.x - 1;
  const bool aligned = reinterpret_cast<size_t>(a) % 16 == 0;
  const unsigned whole = aligned ? static_cast<unsigned>(n / kTile) : 0;
  // The second warp takes the numbers, so that the first can look back meanwhile.
  // It has one in hand, whose way to memory and back nobody waits for.
  const bool taker = threadIdx.x == 32;
  bool more =
      true;  // whether the number in hand is to be looked at: none is taken after the first past the tiles
  unsigned long long in_hand = taker ? atomicAdd(state, 1ull) : 0;

  const auto take_tile = [&](int stage) {
    unsigned number = tiles;
    if (more) {
      shared_call[0] = tag_of_call(in_hand, last, state);
      number = static_cast<unsigned>(in_hand);
      more = number < tiles;
      if (more) in_hand = atomicAdd(state, 1ull);
    }
    numbers[stage] = number;
    if (number < whole) {
      expect_bytes(full + stage, kTile * sizeof(dtype));
      begin_bulk_copy(ring + stage * (kTile / VECTOR), a + static_cast<long long>(number) * kTile,
                      kTile * sizeof(dtype), full + stage);
    }
  };

  if (taker) {
#pragma unroll 1
    for (int stage = 0; stage < STAGES; ++stage) {
      set_up_barrier(full + stage);
      take_tile(stage);
    }
  }
  __syncthreads();

  const unsigned call = shared_call[0];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto read_tile = [&](accumulator(&values)[VECTORS_PER_THREAD][VECTOR], unsigned tile, int stage,
                             unsigned phase) {
    if (tile < whole) {
      wait_for_phase(full + stage, phase);
      const Pack* part = ring + stage * (kTile / VECTOR) + threadIdx.x / 32 * (kPart / VECTOR);
#pragma unroll
      for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
        Pack pack;
        pack.word = part[i * 32 + lane].word;
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) values[i][j] = to_accumulator(pack.item[j]);
      }
    } else {
      load_tile(values, a, static_cast<long long>(tile) * kTile, n, false);
    }
  };

#if PUBLISH_AHEAD
  // Publishes the total of a tile before its turn comes, so that blocks that look back find it when they get there,
  // however late the tile's own turn is.
  const auto publish_total = [&](int stage, unsigned phase) {
    __shared__ accumulator totals_of_warps[kWarps];
    const unsigned tile = numbers[stage];
    if (tile >= tiles) return;
    accumulator values[VECTORS_PER_THREAD][VECTOR];
    read_tile(values, tile, stage, phase);
    accumulator total = identity();
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) total = join(total, values[i][j]);
    }
    total = join_lanes(total);
    if (lane == 0) totals_of_warps[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
      total = join_lanes(lane < kWarps ? totals_of_warps[lane] : identity());
      if (lane == 0) write_tagged(words + static_cast<long long>(tile) * kStep, total, call + kTotal);
    }
  };
  publish_total(0, 0);
  __syncthreads();  // before the next one writes the warps' totals
#endif

  int stage = 0;
  unsigned phase = 0;
#pragma unroll 1
  for (;;) {
    const unsigned tile = numbers[stage];
    if (tile >= tiles) break;
#if PUBLISH_AHEAD
    publish_total(stage + 1 == STAGES ? 0 : stage + 1, stage + 1 == STAGES ? phase ^ 1 : phase);
#endif
    const long long first = static_cast<long long>(tile) * kTile;
    accumulator values[VECTORS_PER_THREAD][VECTOR], offsets[kOffsets];
    read_tile(values, tile, stage, phase);
    accumulator total;
    const accumulator warp_total = scan_warp(values, offsets);
    const accumulator before = scan_block(warp_total, total);  // after its barrier the stage is free
    if (taker) take_tile(stage);
    if (threadIdx.x < 32) {
      const accumulator prefix = prefix_of_tile(words, tile, call, total);
      if (threadIdx.x == 0) shared_prefix[0] = prefix;
    }
    __syncthreads();
    store_tile(values, offsets, join(shared_prefix[0], before), out, first, n,
               reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
}
#endif
