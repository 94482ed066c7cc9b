/* warptune
[kernel]
name = "scan"
description = "every prefix of a vector summed, or its running maximum"
entry = "scan"
vendor = "cub::DeviceScan::InclusiveSum, ExclusiveSum and InclusiveScan"
about = """
Element i of the result joins the elements 0 to i of the input (`inclusive`) or 0 to i - 1 (`exclusive`, whose first element is 0, or the
lowest value for `max`). Reading and writing each element once is the least that memory has to move; what keeps scans from that speed is
that every tile waits for the one before.

The space spans three ways. `look_back` reads once: a block scans its tile, publishes the tile's total, and adds up the totals of the tiles
before until it finds one that already knows its prefix, WINDOW times 32 of them at a look. `reduce_scan` takes two launches:
totals of one long chunk a block, then each block scans its chunk from the sum of the totals before. `three` takes three: totals of tiles, their scan
by one block, tiles. Elements come as words straight into registers, in rows across a warp (`rows`, scanned by shuffles), in runs of
consecutive words (`direct`), or in rows that are turned into runs through shared memory (`shared`); with PATH = `bulk` persistent
blocks keep a ring of STAGES tiles on their way (sm_90 on), and AHEAD has them publish each tile's total a tile earlier, so that nobody waits for
the slowest of the tiles before.

The state of `look_back` resets itself: words of tiles carry the number of the call, counted by the last block to start, so the scratch buffers
have to be zeroed once, when they are allocated, and nothing is zeroed or launched before a call (up to 2^30 of them). With ORDER =
`index` blocks count on being started in the order of their index, as CUB does; `ticket` does not. Sums of floating-point numbers by `look_back` are
rounded in an order that differs from run to run; the other two always give the same bits. A maximum passes over NaNs.
"""
defines = { IS_MAX = 'operation == "max"', EXCLUSIVE = 'scan == "exclusive"', IS_HALF = 'dtype == "f16"', INTEGER_ACCUMULATOR = 'accumulator == "i32" || accumulator == "i64"', WIDE_ACCUMULATOR = 'accumulator == "f64" || accumulator == "i64"', LOOK_BACK = 'ALGORITHM == "look_back"', REDUCE_SCAN = 'ALGORITHM == "reduce_scan"', PATH_BULK = 'PATH == "bulk"', LAYOUT_ROWS = 'LAYOUT == "rows"', LAYOUT_SHARED = 'LAYOUT == "shared"', BY_TICKET = 'ORDER == "ticket"' }

[problem]
N = { value = 67108864, description = "elements" }
dtype = { value = "f32", description = "type of the input's elements" }
accumulator = { value = "f32", description = "type of the results and of all intermediate values" }
operation = { value = "sum", description = "how elements join" }
scan = { value = "inclusive", description = "whether an element's prefix ends with the element or before it" }

[problem_values]
dtype = ["f16", "f32", "f64", "i8", "i16", "i32", "i64"]
accumulator = ["f32", "f64", "i32", "i64"]
operation = ["sum", "max"]
scan = ["inclusive", "exclusive"]

[parameters]
ALGORITHM = { values = ["reduce_scan", "look_back", "three"], description = "totals of chunks and then their scan, one pass that looks back at the tiles before, or three launches" }
PATH = { values = ["vector", "bulk"], when = 'ALGORITHM == "look_back"', description = "how elements come: loads into registers, or bulk copies of tiles into a ring in shared memory" }
LAYOUT = { values = ["rows", "shared", "direct"], when = 'PATH == "vector"', description = "how a warp's elements lie in its threads: row by row across them, in runs turned through shared memory, or in runs loaded as such" }
BLOCK = { values = [64, 128, 192, 256, 384, 512, 640, 768, 1024], description = "threads a block" }
ITEMS = { values = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24], description = "words of a thread in a tile" }
VECTOR = { values = [1, 2, 4, 8], description = "elements a word" }
BLOCKS_PER_SM = { values = [0, 1, 2, 3, 4, 6, 8, 16], description = "persistent blocks on an SM; 0: one tile a block" }
STAGES = { values = [1, 2, 3, 4, 6], when = 'PATH == "bulk"', description = "tiles of the ring in shared memory" }
AHEAD = { values = [false, true], when = 'PATH == "bulk"', description = "publish the total of a block's next tile before the block looks back for its present one" }
ORDER = { values = ["index", "ticket"], when = 'ALGORITHM == "look_back"', description = "how blocks come by their tiles: by their index or in the order in which they start" }
WINDOW = { values = [1, 2, 4, 8], when = 'ALGORITHM == "look_back"', description = "tiles that each lane of a warp looks back at a time" }
DELAY = { values = [0, 100], when = 'ALGORITHM == "look_back"', description = "nanoseconds between looks at a tile that is not ready" }
LOAD = { values = ["plain", "streaming"], when = 'PATH == "vector"', description = "cache hint of loads" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }

[constraints]
list = [
  { expression = "VECTOR * max(sizeof(dtype), sizeof(accumulator)) <= 16", reason = "the widest access is 16 bytes" },
  { expression = "BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm", reason = "persistent blocks must all be resident" },
  { expression = "BLOCK * ITEMS * VECTOR >= 2048", reason = "smaller tiles wait for one another more than they work, and the error bound counts on it" },
  { expression = "ITEMS * VECTOR * sizeof(accumulator) <= 128", reason = "at most 32 registers of data a thread" },
  { expression = "BLOCK * ITEMS * VECTOR * sizeof(accumulator) <= 131072", reason = "a tile takes at most half of an SM's registers" },
  { expression = 'ALGORITHM != "look_back" || (PATH == "bulk") == (BLOCKS_PER_SM > 0)', reason = "only a ring makes persistent blocks worthwhile" },
  { expression = 'ALGORITHM != "reduce_scan" || BLOCKS_PER_SM > 0', reason = "the chunks are those of persistent blocks" },
  { expression = 'ALGORITHM != "three" || BLOCKS_PER_SM == 0', reason = "each block has one tile" },
  { expression = 'PATH != "bulk" || device_compute_capability >= 90', reason = "bulk copies need sm_90" },
  { expression = 'PATH != "bulk" || ORDER == "ticket"', reason = "persistent blocks cannot count on all being resident" },
  { expression = 'PATH != "bulk" || STAGES >= 2 && BLOCK * ITEMS * VECTOR * sizeof(dtype) >= 8192', reason = "a ring of one stage, or of small tiles, hides nothing" },
  { expression = "!AHEAD || STAGES >= 3", reason = "the next tile has come only where another one is still on its way" },
  { expression = 'PATH != "bulk" || STAGES * BLOCK * ITEMS * VECTOR * sizeof(dtype) + 2048 <= min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / max(BLOCKS_PER_SM, 1))', reason = "the rings of all resident blocks fit into shared memory" },
  { expression = 'LAYOUT != "shared" || BLOCK * ITEMS * VECTOR * max(sizeof(dtype), sizeof(accumulator)) / 8 * 9 + BLOCK / 2 + 2048 <= min(device_shared_bytes_per_block_optin, 131072)', reason = "the tile fits into shared memory" },
  { expression = 'LAYOUT == "rows" || ITEMS > 1', reason = "a single row is a run" },
  { expression = 'LAYOUT != "direct" || ITEMS * VECTOR * sizeof(dtype) <= 64', reason = "words of a warp that lie farther apart take a line each" },
  { expression = '(accumulator != "i32" && accumulator != "i64") || (dtype != "f16" && dtype != "f32" && dtype != "f64")', reason = "integers cannot hold sums of floating-point numbers" },
]

[default]
ALGORITHM = "reduce_scan"
PATH = "vector"
LAYOUT = "rows"
BLOCK = 256
ITEMS = 8
VECTOR = 1
BLOCKS_PER_SM = 4
STAGES = 1
AHEAD = false
ORDER = "index"
WINDOW = 1
DELAY = 0
LOAD = "plain"
STORE = "plain"

[launch]
grid = ["BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM * device_sm_count)"]
block = ["BLOCK"]
shared_bytes = 'PATH == "bulk" ? STAGES * BLOCK * ITEMS * VECTOR * sizeof(dtype) : LAYOUT == "shared" ? BLOCK / 32 * (32 * ITEMS + 32 * ITEMS * VECTOR * max(sizeof(dtype), sizeof(accumulator)) / 128 + 1) * VECTOR * max(sizeof(dtype), sizeof(accumulator)) : 0'

[[launch.before]]
entry = "reduce_chunks"
grid = ["BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * ITEMS * VECTOR) : min(ceil_div(N, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM * device_sm_count)"]
block = ["BLOCK"]
when = 'ALGORITHM != "look_back"'

[[launch.before]]
entry = "scan_totals"
grid = ["1"]
block = ["BLOCK"]
when = 'ALGORITHM == "three"'

# Sums walk about zero; maxima rise all the way.
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init = { kind = "expression", value = 'operation == "max" ? 20.0 * u + 180.0 * i / N - 100 : 200.0 * u - 100', seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "accumulator"
count = "N"

# Of each tile its total or its prefix with a flag, or the totals of chunks.
[[argument]]
name = "words"
kind = "scratch"
type = "u64"
count = '(accumulator == "f64" || accumulator == "i64" ? 2 : 1) * ceil_div(N, BLOCK * ITEMS * VECTOR)'
zero = true

# The number of calls so far (upper half) and the number of tiles taken in this one.
[[argument]]
name = "state"
kind = "scratch"
type = "u64"
count = "1"
zero = true

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# With u the unit roundoff of the accumulator (2^-24 or 2^-53), an addition that brings a prefix to the magnitude S errs by at
# most u S. Sums of n numbers uniform in [-100, 100] have S ~ 100 sqrt(n / 3). The longest chain at full magnitude is one
# addition a tile of 2048 elements or more; as a random walk its errors come to 100 u sqrt(n / 3) sqrt(n / 4096), which is 100 u n / 111, as
# standard deviation at the end. n / 12 is nine of them, because the largest error of all prefixes counts; 256 covers small n. Integers and
# maxima are exact. The reference adds in double and rounds once.
[check]
reference = "entry"
entry = "scan_reference"
grid = ["1"]
block = ["1024"]
absolute = 'operation == "max" || accumulator == "i32" || accumulator == "i64" ? 0 : (accumulator == "f64" ? 1.1102230246251565e-16 : 5.9604644775390625e-8) * 100 * (256 + N / 12)'
relative = 0.0
nondeterministic = 'ALGORITHM == "look_back" && operation == "sum" && accumulator != "i32" && accumulator != "i64"'

[work]
flops = "N"
bytes = "N * (sizeof(dtype) + sizeof(accumulator))"
*/
#if IS_HALF
#include <cuda_fp16.h>
#endif
#include "memory_access.cuh"

// A word of the input and of the result.
union Pack {
  WordOf<VECTOR * sizeof(dtype)>::Type word;
  dtype item[VECTOR];
};
union ResultPack {
  WordOf<VECTOR * sizeof(accumulator)>::Type word;
  accumulator item[VECTOR];
};

constexpr int kWarps = BLOCK / 32;
constexpr int kRow = 32 * VECTOR;        // elements of a warp's row of words
constexpr int kPart = kRow * ITEMS;      // and of its part of a tile
constexpr int kTile = kPart * kWarps;

__device__ __forceinline__ accumulator widen(dtype element) {
#if IS_HALF
  return static_cast<accumulator>(__half2float(element));
#else
  return static_cast<accumulator>(element);
#endif
}

#if IS_MAX
__device__ __forceinline__ int greater(int x, int y) { return x > y ? x : y; }
__device__ __forceinline__ long long greater(long long x, long long y) { return x > y ? x : y; }
__device__ __forceinline__ float greater(float x, float y) { return fmaxf(x, y); }
__device__ __forceinline__ double greater(double x, double y) { return fmax(x, y); }
#endif

__device__ __forceinline__ accumulator join(accumulator x, accumulator y) {
#if IS_MAX
  return greater(x, y);
#else
  return x + y;
#endif
}

#if WIDE_ACCUMULATOR
using Bits = unsigned long long;
#else
using Bits = unsigned int;
#endif
union Cast {
  accumulator value;
  Bits bits;
};

// The value that joins with any other to the other.
__device__ __forceinline__ accumulator nothing() {
  Cast cast;
#if IS_MAX && INTEGER_ACCUMULATOR
  cast.bits = Bits(1) << (8 * sizeof(Bits) - 1);
#elif IS_MAX && WIDE_ACCUMULATOR
  cast.bits = 0xfffull << 52;  // minus infinity
#elif IS_MAX
  cast.bits = 0x1ffu << 23;
#else
  cast.bits = 0;
#endif
  return cast.value;
}

// The number of a thread's word `i` among those of its warp.
__device__ __forceinline__ int word_of(int lane, int i) {
#if LAYOUT_ROWS
  return i * 32 + lane;
#else
  return lane * ITEMS + i;
#endif
}

#if LAYOUT_SHARED
// Turns a warp's words from rows across its lanes into runs of each lane (`to_runs`) or back. A word's place leaves one free after every
// 128 bytes, which spreads both accesses over the banks.
template <bool to_runs, class P>
__device__ __forceinline__ void turn(P (&words)[ITEMS]) {
  extern __shared__ uint4 shared_words[];
  constexpr int kBytes = VECTOR * (sizeof(dtype) > sizeof(accumulator) ? sizeof(dtype) : sizeof(accumulator));
  constexpr int kGroup = 128 / sizeof(P);
  constexpr int kRegion = (32 * ITEMS + 32 * ITEMS * kBytes / 128 + 1) * kBytes;  // bytes of a warp
  const int lane = static_cast<int>(threadIdx.x % 32);
  P* mine = reinterpret_cast<P*>(reinterpret_cast<unsigned char*>(shared_words) + threadIdx.x / 32 * kRegion);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = to_runs ? i * 32 + lane : lane * ITEMS + i;
    mine[at + at / kGroup].word = words[i].word;
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = to_runs ? lane * ITEMS + i : i * 32 + lane;
    words[i].word = mine[at + at / kGroup].word;
  }
  __syncwarp();
}
#endif

// A thread's elements of the tile at `first`; what is past the end is nothing.
__device__ __forceinline__ void load_tile(accumulator (&values)[ITEMS][VECTOR], const dtype* __restrict__ a, long long first, long long n,
                                          bool aligned) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long part = first + threadIdx.x / 32 * kPart;
  if (aligned && first + kTile <= n) {
    const auto* words = reinterpret_cast<const WordOf<VECTOR * sizeof(dtype)>::Type*>(a + part);
    Pack packs[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#if LAYOUT_SHARED
      packs[i].word = load_word<LoadHint::LOAD>(words + i * 32 + lane);
#else
      packs[i].word = load_word<LoadHint::LOAD>(words + word_of(lane, i));
#endif
    }
#if LAYOUT_SHARED
    turn<true>(packs);
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) values[i][j] = widen(packs[i].item[j]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const long long at = part + word_of(lane, i) * VECTOR;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) values[i][j] = at + j < n ? widen(__ldg(a + at + j)) : nothing();
    }
  }
}

// Words of a row, or all words of a run, have an offset in common: what the threads of the warp before them bring.
#if LAYOUT_ROWS
constexpr int kOffsets = ITEMS;
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

// Joins a thread's values within each word or run; `offsets` get what comes before within the warp. Returns the warp's total.
__device__ __forceinline__ accumulator scan_warp(accumulator (&values)[ITEMS][VECTOR], accumulator (&offsets)[kOffsets]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  accumulator ends[kOffsets];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
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
  accumulator total = nothing();
#pragma unroll
  for (int i = 0; i < kOffsets; ++i) {
    const accumulator before = __shfl_up_sync(0xffffffffu, ends[i], 1);
    offsets[i] = lane == 0 ? total : join(total, before);
    total = join(total, __shfl_sync(0xffffffffu, ends[i], 31));
  }
  return total;
}

// From the warps' totals what comes before this warp in the block, and the block's total. Has a barrier; another one must come before
// the next call.
__device__ __forceinline__ accumulator scan_block(accumulator warp_total, accumulator& block_total) {
  __shared__ accumulator of_warps[kWarps];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (lane == 0) of_warps[warp] = warp_total;
  __syncthreads();
  accumulator totals[1] = {lane < kWarps ? of_warps[lane] : nothing()};
  scan_lanes(totals, kWarps);
  block_total = __shfl_sync(0xffffffffu, totals[0], kWarps - 1);
  const accumulator before = __shfl_sync(0xffffffffu, totals[0], warp == 0 ? 0 : warp - 1);
  return warp == 0 ? nothing() : before;
}

// Writes a tile's results, all of which `base` comes before.
__device__ __forceinline__ void store_tile(accumulator (&values)[ITEMS][VECTOR], const accumulator (&offsets)[kOffsets], accumulator base,
                                           accumulator* __restrict__ out, long long first, long long n, bool aligned) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long part = first + threadIdx.x / 32 * kPart;
  ResultPack packs[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
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
#if LAYOUT_SHARED
    turn<false>(packs);
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#if LAYOUT_SHARED
      store_word<StoreHint::STORE>(words + i * 32 + lane, packs[i].word);
#else
      store_word<StoreHint::STORE>(words + word_of(lane, i), packs[i].word);
#endif
    }
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const long long at = part + word_of(lane, i) * VECTOR;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        if (at + j < n) out[at + j] = packs[i].item[j];
      }
    }
  }
}

#if LOOK_BACK
// All lanes' values joined, for each of them.
__device__ __forceinline__ accumulator join_lanes(accumulator value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value = join(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

// A tile's word holds a value and a tag. Tags are four times the number of the call, plus what the value is.
constexpr unsigned kTotal = 1;   // of the tile
constexpr unsigned kPrefix = 2;  // of all tiles up to this one
constexpr int kWordStep = sizeof(accumulator) / 4;

__device__ __forceinline__ void write_word(unsigned long long* to, accumulator value, unsigned tag) {
  Cast cast;
  cast.value = value;
  write_tagged(to, cast.bits, tag);
}

__device__ __forceinline__ unsigned read_word(const unsigned long long* from, accumulator& value) {
  Cast cast;
  const unsigned tag = read_tagged(from, cast.bits);
  value = cast.value;
  return tag;
}

// What all tiles before `tile` bring; the whole warp calls it. Lanes look at the tiles backwards from it, WINDOW each.
__device__ __forceinline__ accumulator look_back(const unsigned long long* words, long long tile, unsigned call) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  accumulator sum = nothing();
  long long at = tile - 1 - lane;
  bool found = false;
  while (!found) {
    accumulator value[WINDOW];
    unsigned tag[WINDOW];
#pragma unroll
    for (int w = 0; w < WINDOW; ++w) {
      value[w] = nothing();
      tag[w] = call + kPrefix;  // before the first tile
      if (at - 32 * w >= 0) tag[w] = read_word(words + (at - 32 * w) * kWordStep, value[w]);
    }
#pragma unroll
    for (int w = 0; w < WINDOW; ++w) {
      if (!found) {
        unsigned nearer;  // lanes before the nearest prefix
        for (;;) {
          const unsigned prefixes = __ballot_sync(0xffffffffu, tag[w] == call + kPrefix);
          const unsigned missing = __ballot_sync(0xffffffffu, tag[w] != call + kPrefix && tag[w] != call + kTotal);
          nearer = prefixes == 0 ? 0xffffffffu : (prefixes & (0u - prefixes)) - 1;
          found = prefixes != 0;
          if ((missing & nearer) == 0) break;
#if DELAY > 0 && defined(__CUDA_ARCH__)
          asm volatile("nanosleep.u32 %0;" ::"n"(DELAY));
#endif
          if (missing >> lane & 1) tag[w] = read_word(words + (at - 32 * w) * kWordStep, value[w]);
        }
        // With a prefix, the lanes up to it; without one, all.
        const unsigned counting = nearer << 1 | 1;
        if (counting >> lane & 1) sum = join(sum, value[w]);
      }
    }
    at -= 32 * WINDOW;
  }
  return join_lanes(sum);
}

// A warp publishes the total of its block's tile, if that has not been done ahead, and returns what comes before the tile.
__device__ __forceinline__ accumulator prefix_of_tile(unsigned long long* words, long long tile, unsigned call, accumulator total) {
  accumulator prefix = nothing();
  if (tile > 0) {
    if (!AHEAD && threadIdx.x % 32 == 0) write_word(words + tile * kWordStep, total, call + kTotal);
    prefix = look_back(words, tile, call);
  }
  if (threadIdx.x % 32 == 0) write_word(words + tile * kWordStep, join(prefix, total), call + kPrefix);
  return prefix;
}

// What `state` was when a thread took a number from it, from 0 on in every call, holds the call's tag too. Who has the last number
// starts the next call: nobody will look at `state` again in this one.
__device__ __forceinline__ unsigned tag_of_call(unsigned long long old, unsigned last, unsigned long long* state) {
  const unsigned calls = static_cast<unsigned>(old >> 32) + 1;
  if (static_cast<unsigned>(old) == last) *state = static_cast<unsigned long long>(calls & 0x3fffffffu) << 32;
  return calls << 2;
}
#endif

#if LOOK_BACK && !PATH_BULK
__global__ void __launch_bounds__(BLOCK) scan(const dtype* __restrict__ a, accumulator* __restrict__ out, unsigned long long* words,
                                              unsigned long long* state, long long n) {
  __shared__ accumulator shared_prefix[1];
  unsigned long long old = 0;
  if (threadIdx.x == 0) old = atomicAdd(state, 1ull);
#if BY_TICKET
  __shared__ unsigned shared_number[1];
  if (threadIdx.x == 0) shared_number[0] = static_cast<unsigned>(old);
  __syncthreads();
  const long long tile = shared_number[0];
#else
  const long long tile = blockIdx.x;
#endif
  const long long first = tile * kTile;
  accumulator values[ITEMS][VECTOR], offsets[kOffsets];
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
  store_tile(values, offsets, join(shared_prefix[0], before), out, first, n, reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0);
}
#endif

#if LOOK_BACK && PATH_BULK
// Persistent blocks that take numbers of tiles ahead, one for each stage. A tile waits only for tiles of lower numbers, and of these the lowest
// that is not done is the next of its block: no block waits for ever.
__global__ void __launch_bounds__(BLOCK) scan(const dtype* __restrict__ a, accumulator* __restrict__ out, unsigned long long* words,
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
  bool more = true;  // whether the number in hand is to be looked at: none is taken after the first past the tiles
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
      begin_bulk_copy(ring + stage * (kTile / VECTOR), a + static_cast<long long>(number) * kTile, kTile * sizeof(dtype), full + stage);
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
  const auto read_tile = [&](accumulator (&values)[ITEMS][VECTOR], unsigned tile, int stage, unsigned phase) {
    if (tile < whole) {
      wait_for_phase(full + stage, phase);
      const Pack* part = ring + stage * (kTile / VECTOR) + threadIdx.x / 32 * (kPart / VECTOR);
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        Pack pack;
        pack.word = part[i * 32 + lane].word;
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) values[i][j] = widen(pack.item[j]);
      }
    } else {
      load_tile(values, a, static_cast<long long>(tile) * kTile, n, false);
    }
  };

#if AHEAD
  // Publishes the total of a tile before its turn comes, so that blocks that look back find it when they get there, however late the
  // tile's own turn is.
  const auto publish_total = [&](int stage, unsigned phase) {
    __shared__ accumulator totals_of_warps[kWarps];
    const unsigned tile = numbers[stage];
    if (tile >= tiles) return;
    accumulator values[ITEMS][VECTOR];
    read_tile(values, tile, stage, phase);
    accumulator total = nothing();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) total = join(total, values[i][j]);
    }
    total = join_lanes(total);
    if (lane == 0) totals_of_warps[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
      total = join_lanes(lane < kWarps ? totals_of_warps[lane] : nothing());
      if (lane == 0) write_word(words + static_cast<long long>(tile) * kWordStep, total, call + kTotal);
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
#if AHEAD
    publish_total(stage + 1 == STAGES ? 0 : stage + 1, stage + 1 == STAGES ? phase ^ 1 : phase);
#endif
    const long long first = static_cast<long long>(tile) * kTile;
    accumulator values[ITEMS][VECTOR], offsets[kOffsets];
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
    store_tile(values, offsets, join(shared_prefix[0], before), out, first, n, reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0);
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
}
#endif

// The names of launches that a way does without exist all the same.
#if LOOK_BACK || REDUCE_SCAN
__global__ void scan_totals(const dtype*, accumulator*, unsigned long long*, unsigned long long*, long long) {}
#endif
#if LOOK_BACK
__global__ void reduce_chunks(const dtype*, accumulator*, unsigned long long*, unsigned long long*, long long) {}
#else
// The tiles of a block: from `tile` up to `end`.
struct Chunk {
  long long tile, end;
};
__device__ __forceinline__ Chunk chunk_of_block(long long n) {
#if REDUCE_SCAN
  const long long tiles = (n + kTile - 1) / kTile;
  const long long each = (tiles + gridDim.x - 1) / gridDim.x;
  const long long tile = blockIdx.x * each;
  return {tile, tile + each < tiles ? tile + each : tiles};
#else
  return {static_cast<long long>(blockIdx.x), static_cast<long long>(blockIdx.x) + 1};
#endif
}

__global__ void __launch_bounds__(BLOCK) reduce_chunks(const dtype* __restrict__ a, accumulator*, unsigned long long* words,
                                                       unsigned long long*, long long n) {
  const bool aligned = reinterpret_cast<size_t>(a) % sizeof(Pack) == 0;
  const Chunk chunk = chunk_of_block(n);
  accumulator sum = nothing();
#pragma unroll 1
  for (long long tile = chunk.tile; tile < chunk.end; ++tile) {
    const long long first = tile * kTile;
    if (aligned && first + kTile <= n) {
      const auto* from = reinterpret_cast<const WordOf<VECTOR * sizeof(dtype)>::Type*>(a + first) + threadIdx.x;
      Pack packs[ITEMS];
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) packs[i].word = __ldg(from + i * BLOCK);
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) sum = join(sum, widen(packs[i].item[j]));
      }
    } else {
      const long long end = first + kTile < n ? first + kTile : n;
#pragma unroll 4
      for (long long i = first + threadIdx.x; i < end; i += BLOCK) sum = join(sum, widen(__ldg(a + i)));
    }
  }
  accumulator sums[1] = {sum};
  scan_lanes(sums, 32);
  accumulator total;
  scan_block(__shfl_sync(0xffffffffu, sums[0], 31), total);
  if (threadIdx.x == 0) reinterpret_cast<accumulator*>(words)[blockIdx.x] = total;
}

#if !REDUCE_SCAN
// Replaces the totals of tiles by what comes before each.
__global__ void __launch_bounds__(BLOCK) scan_totals(const dtype*, accumulator*, unsigned long long* words, unsigned long long*,
                                                     long long n) {
  accumulator* totals = reinterpret_cast<accumulator*>(words);
  const long long tiles = (n + kTile - 1) / kTile;
  accumulator carry = nothing();
#pragma unroll 1
  for (long long first = 0; first < tiles; first += BLOCK) {
    const long long at = first + threadIdx.x;
    accumulator sums[1] = {at < tiles ? totals[at] : nothing()};
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

__global__ void __launch_bounds__(BLOCK) scan(const dtype* __restrict__ a, accumulator* __restrict__ out, unsigned long long* words,
                                              unsigned long long*, long long n) {
  const accumulator* totals = reinterpret_cast<const accumulator*>(words);
  const bool in_aligned = reinterpret_cast<size_t>(a) % sizeof(Pack) == 0;
  const bool out_aligned = reinterpret_cast<size_t>(out) % sizeof(ResultPack) == 0;
  const Chunk chunk = chunk_of_block(n);
  accumulator carry;
#if REDUCE_SCAN
  accumulator sums[1] = {nothing()};
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
    accumulator values[ITEMS][VECTOR], offsets[kOffsets];
    load_tile(values, a, first, n, in_aligned);
    accumulator total;
    const accumulator warp_total = scan_warp(values, offsets);
    const accumulator before = scan_block(warp_total, total);
    store_tile(values, offsets, join(carry, before), out, first, n, out_aligned);
    carry = join(carry, total);
    __syncthreads();
  }
}
#endif

#ifdef WARPTUNE_REFERENCE
// One block of 1024 threads, in double or in 64-bit integers, 1024 elements at a time.
#if INTEGER_ACCUMULATOR
using Exact = long long;
#else
using Exact = double;
#endif
__device__ Exact joined_exactly(Exact x, Exact y) {
#if IS_MAX
  return y > x ? y : x;
#else
  return x + y;
#endif
}

__global__ void scan_reference(const dtype* a, accumulator* out, unsigned long long*, unsigned long long*, long long n) {
  __shared__ Exact values[1024];
  Exact carry = static_cast<Exact>(nothing());
  for (long long first = 0; first < n; first += 1024) {
    const long long i = first + threadIdx.x;
    Exact value = i < n ? static_cast<Exact>(widen(a[i])) : static_cast<Exact>(nothing());
    values[threadIdx.x] = value;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const int from = static_cast<int>(threadIdx.x) - distance;
      const Exact other = from >= 0 ? values[from] : static_cast<Exact>(nothing());
      __syncthreads();
      value = joined_exactly(other, value);
      values[threadIdx.x] = value;
      __syncthreads();
    }
#if EXCLUSIVE
    if (i < n) out[i] = static_cast<accumulator>(threadIdx.x == 0 ? carry : joined_exactly(carry, values[threadIdx.x - 1]));
#else
    if (i < n) out[i] = static_cast<accumulator>(joined_exactly(carry, value));
#endif
    carry = joined_exactly(carry, values[1023]);
    __syncthreads();
  }
}
#endif
