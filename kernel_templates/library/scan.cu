/* warptune
[kernel]
name = "scan"
description = "the sum or the maximum of every prefix of a vector"
entry = "scan"
vendor = "cub::DeviceScan::InclusiveSum, ExclusiveSum and InclusiveScan"
about = """
Element i of the result combines the elements 0 to i of the input (`inclusive`) or 0 to i - 1 (`exclusive`). The first
element of an exclusive scan is 0, or the lowest value for `max`. Each element must be read once, and each result
written once. A scan takes longer than these accesses, because every tile waits for the one before it.

There are three algorithms:

- `decoupled_look_back` reads the input once. A block scans its tile and publishes the tile's total. It then adds up the
  totals of the preceding tiles until it finds a tile that already knows its prefix. It looks at LOOK_BACK_WINDOW times
  32 tiles at a time.
- `reduce_then_scan` takes two kernels. The first forms the total of one long chunk for each block. The second scans
  each chunk, starting from the sum of the totals before it.
- `three_kernels` forms the totals of tiles, scans these with one block, and then scans the tiles.

With LOAD_PATH = `registers`, vectors are loaded directly into registers. ARRANGEMENT chooses which thread gets which
vector. With `warp_striped`, neighbouring threads load neighbouring vectors, and shuffles scan them. With `blocked`,
each thread loads a run of consecutive vectors. With `warp_transpose`, neighbouring threads load neighbouring vectors,
and shared memory rearranges them into runs. With LOAD_PATH = `cp_async_bulk`, persistent blocks keep a ring of STAGES
tiles in flight (from sm_90 on). PUBLISH_AHEAD then publishes each tile's total one tile earlier, so that no block waits
for the slowest of the tiles before it.

The state of `decoupled_look_back` resets itself. Each call has a number, and every value that a tile publishes contains
it. The last block to start increments the number for the next call. Therefore the scratch buffers are zeroed only once,
when they are allocated. Nothing is zeroed or launched before a call (up to 2^30 calls). TILE_ASSIGNMENT = `block_index`
works only if blocks are started in the order of their index. GPUs start blocks in this order, and CUB relies on it,
too. `atomic_counter` works with every order.

`decoupled_look_back` rounds sums of floating-point numbers in an order that differs from run to run. The other two
algorithms always give the same bits. A maximum ignores NaNs.
"""
[kernel.defines]
IS_MAX = 'operation == "max"'
EXCLUSIVE = 'scan == "exclusive"'
IS_F16 = 'dtype == "f16"'
INTEGER_ACCUMULATOR = 'accumulator == "i32" || accumulator == "i64"'
LOOK_BACK = 'ALGORITHM == "decoupled_look_back"'
REDUCE_THEN_SCAN = 'ALGORITHM == "reduce_then_scan"'
PATH_CP_ASYNC_BULK = 'LOAD_PATH == "cp_async_bulk"'
WARP_STRIPED = 'ARRANGEMENT == "warp_striped"'
WARP_TRANSPOSE = 'ARRANGEMENT == "warp_transpose"'
BY_ATOMIC_COUNTER = 'TILE_ASSIGNMENT == "atomic_counter"'

[problem]
N = { value = 67108864, description = "elements" }
dtype = { value = "f32", description = "type of the input's elements" }
accumulator = { value = "f32", description = "type of the results and of all intermediate values" }
operation = { value = "sum", description = "how elements are combined" }
scan = { value = "inclusive", description = "whether the prefix of an element includes the element or ends before it" }

[problem_values]
dtype = ["f16", "f32", "f64", "i8", "i16", "i32", "i64"]
accumulator = ["f32", "f64", "i32", "i64"]
operation = ["sum", "max"]
scan = ["inclusive", "exclusive"]

[parameters]
ALGORITHM.values = ["reduce_then_scan", "decoupled_look_back", "three_kernels"]
ALGORITHM.description = """\
  reduce_then_scan: totals of chunks, then a scan of each chunk; decoupled_look_back: one pass that looks back at the \
  preceding tiles; three_kernels: totals of tiles, a scan of these totals, then a scan of each tile"""
LOAD_PATH.values = ["registers", "cp_async_bulk"]
LOAD_PATH.when = 'ALGORITHM == "decoupled_look_back"'
LOAD_PATH.description = """\
  how elements are loaded: into registers, or by bulk copies of tiles into a ring in shared memory"""
ARRANGEMENT.values = ["warp_striped", "warp_transpose", "blocked"]
ARRANGEMENT.when = 'LOAD_PATH == "registers"'
ARRANGEMENT.description = """\
  which thread of a warp gets which vectors; warp_striped: neighbouring threads load neighbouring vectors; \
  warp_transpose: the same, and then shared memory rearranges them into runs; blocked: each thread loads a run of \
  vectors"""
BLOCK = { values = [64, 128, 192, 256, 384, 512, 640, 768, 1024], description = "threads per block" }
VECTORS_PER_THREAD.values = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24]
VECTORS_PER_THREAD.description = "vectors per thread in a tile"
VECTOR = { values = [1, 2, 4, 8], description = "elements per vector load or store" }
BLOCKS_PER_SM = { values = [0, 1, 2, 3, 4, 6, 8, 16], description = "persistent blocks per SM; 0: one tile per block" }
STAGES.values = [1, 2, 3, 4, 6]
STAGES.when = 'LOAD_PATH == "cp_async_bulk"'
STAGES.description = "tiles in the ring in shared memory"
PUBLISH_AHEAD.values = [false, true]
PUBLISH_AHEAD.when = 'LOAD_PATH == "cp_async_bulk"'
PUBLISH_AHEAD.description = """\
  whether a block publishes the total of its next tile before it looks back for the current one"""
TILE_ASSIGNMENT.values = ["block_index", "atomic_counter"]
TILE_ASSIGNMENT.when = 'ALGORITHM == "decoupled_look_back"'
TILE_ASSIGNMENT.description = "which tile a block takes: the one with its index, or the next one of an atomic counter"
LOOK_BACK_WINDOW.values = [1, 2, 4, 8]
LOOK_BACK_WINDOW.when = 'ALGORITHM == "decoupled_look_back"'
LOOK_BACK_WINDOW.description = "preceding tiles that each lane of a warp inspects at a time"
POLL_DELAY_NS.values = [0, 100]
POLL_DELAY_NS.when = 'ALGORITHM == "decoupled_look_back"'
POLL_DELAY_NS.description = "nanoseconds between polls of a tile that is not ready"
LOAD = { values = ["plain", "streaming"], when = 'LOAD_PATH == "registers"', description = "cache hint of loads" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }

[constraints]
list = [
  { expression = "VECTOR * max(sizeof(dtype), sizeof(accumulator)) <= 16", reason = "the widest access is 16 bytes" },
  { reason = "all persistent blocks must be resident at once", expression = """\
    BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm""" },
  { reason = """\
    smaller tiles wait for each other longer than they work; the error bound relies on this limit, \
    too""", expression = """\
    BLOCK * VECTORS_PER_THREAD * VECTOR >= 2048""" },
  { reason = "a thread holds at most 32 registers of data", expression = """\
    VECTORS_PER_THREAD * VECTOR * sizeof(accumulator) <= 128""" },
  { reason = "a tile takes at most half of an SM's registers", expression = """\
    BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(accumulator) <= 131072""" },
  { reason = "persistent blocks are worthwhile only with a ring of tiles", expression = """\
    ALGORITHM != "decoupled_look_back" || (LOAD_PATH == "cp_async_bulk") == (BLOCKS_PER_SM > 0)""" },
  { reason = "every chunk belongs to a persistent block", expression = """\
    ALGORITHM != "reduce_then_scan" || BLOCKS_PER_SM > 0""" },
  { reason = "with three_kernels each block has one tile", expression = """\
    ALGORITHM != "three_kernels" || BLOCKS_PER_SM == 0""" },
  { expression = 'LOAD_PATH != "cp_async_bulk" || device_compute_capability >= 90', reason = "bulk copies need sm_90" },
  { reason = """\
    no tile may wait for a block that is not resident, so the tiles are given to the blocks in the order in which the \
    blocks start""", expression = """\
    LOAD_PATH != "cp_async_bulk" || TILE_ASSIGNMENT == "atomic_counter"""" },
  { reason = "a ring of one stage, or of small tiles, hides nothing", expression = """\
    LOAD_PATH != "cp_async_bulk" || STAGES >= 2 && BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) >= 8192""" },
  { reason = "with fewer than three stages the next tile arrives too late", expression = """\
    !PUBLISH_AHEAD || STAGES >= 3""" },
  { reason = "the rings of all resident blocks fit into shared memory", expression = """\
    LOAD_PATH != "cp_async_bulk" || STAGES * BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) + 2048 <= \
    min(device_shared_bytes_per_block_optin, device_shared_bytes_per_sm / max(BLOCKS_PER_SM, 1))""" },
  { reason = "the tile fits into shared memory", expression = """\
    ARRANGEMENT != "warp_transpose" || BLOCK * VECTORS_PER_THREAD * VECTOR * max(sizeof(dtype), \
    sizeof(accumulator)) / 8 * 9 + BLOCK / 2 + 2048 <= min(device_shared_bytes_per_block_optin, 131072)""" },
  { reason = "with a single vector all arrangements are the same", expression = """\
    ARRANGEMENT == "warp_striped" || VECTORS_PER_THREAD > 1""" },
  { reason = "if the vectors of a warp lie farther apart, each of them takes a cache line", expression = """\
    ARRANGEMENT != "blocked" || VECTORS_PER_THREAD * VECTOR * sizeof(dtype) <= 64""" },
  { reason = "integers cannot hold sums of floating-point numbers", expression = """\
    (accumulator != "i32" && accumulator != "i64") || (dtype != "f16" && dtype != "f32" && dtype != "f64")""" },
]

[default]
ALGORITHM = "reduce_then_scan"
LOAD_PATH = "registers"
ARRANGEMENT = "warp_striped"
BLOCK = 256
VECTORS_PER_THREAD = 8
VECTOR = 1
BLOCKS_PER_SM = 4
STAGES = 1
PUBLISH_AHEAD = false
TILE_ASSIGNMENT = "block_index"
LOOK_BACK_WINDOW = 1
POLL_DELAY_NS = 0
LOAD = "plain"
STORE = "plain"

# What is fast, by the number of elements for each SM. bench/sizes/fit_costs.py fitted the times of four configurations
# to 21 sizes that bench_size_matrix measured on an H200 with f32, and these are the sizes from which another is faster.
[[recommended]]
when = 'dtype == "f32" && accumulator == "f32" && N <= 1440 * device_sm_count'
[recommended.values]
ALGORITHM = "decoupled_look_back"
BLOCK = 192
VECTORS_PER_THREAD = 6
VECTOR = 2
BLOCKS_PER_SM = 0
LOOK_BACK_WINDOW = 2
LOAD = "streaming"

[[recommended]]
when = 'dtype == "f32" && accumulator == "f32" && N <= 15500 * device_sm_count'
[recommended.values]
ALGORITHM = "decoupled_look_back"
BLOCK = 128
VECTORS_PER_THREAD = 7
VECTOR = 4
BLOCKS_PER_SM = 0
STORE = "streaming"

[[recommended]]
when = 'dtype == "f32" && accumulator == "f32" && N >= 129000 * device_sm_count'
[recommended.values]
ALGORITHM = "decoupled_look_back"
LOAD_PATH = "cp_async_bulk"
BLOCK = 768
VECTORS_PER_THREAD = 12
VECTOR = 2
BLOCKS_PER_SM = 1
STAGES = 3
PUBLISH_AHEAD = true
TILE_ASSIGNMENT = "atomic_counter"
POLL_DELAY_NS = 100

[[recommended]]
when = 'dtype == "f32" && accumulator == "f32"'
[recommended.values]
ALGORITHM = "decoupled_look_back"
BLOCK = 384
VECTORS_PER_THREAD = 7
VECTOR = 4
BLOCKS_PER_SM = 0
POLL_DELAY_NS = 100
LOAD = "streaming"

[launch]
grid = ["""\
  BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR) : min(ceil_div(N, BLOCK * \
  VECTORS_PER_THREAD * VECTOR), BLOCKS_PER_SM * device_sm_count)"""]
block = ["BLOCK"]
shared_bytes = """\
  LOAD_PATH == "cp_async_bulk" ? STAGES * BLOCK * VECTORS_PER_THREAD * VECTOR * sizeof(dtype) : ARRANGEMENT == \
  "warp_transpose" ? BLOCK / 32 * (32 * VECTORS_PER_THREAD + 32 * VECTORS_PER_THREAD * VECTOR * max(sizeof(dtype), \
  sizeof(accumulator)) / 128 + 1) * VECTOR * max(sizeof(dtype), sizeof(accumulator)) : 0"""

[[launch.before]]
entry = "reduce_chunks"
grid = ["""\
  BLOCKS_PER_SM == 0 ? ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR) : min(ceil_div(N, BLOCK * \
  VECTORS_PER_THREAD * VECTOR), BLOCKS_PER_SM * device_sm_count)"""]
block = ["BLOCK"]
when = 'ALGORITHM != "decoupled_look_back"'

[[launch.before]]
entry = "scan_totals"
grid = ["1"]
block = ["BLOCK"]
when = 'ALGORITHM == "three_kernels"'

# Sums stay near zero like a random walk; maxima rise from the first element to the last.
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
init.kind = "expression"
init.value = 'operation == "max" ? 20.0 * u + 180.0 * i / N - 100 : 200.0 * u - 100'
init.seed = 1

[[argument]]
name = "out"
kind = "out"
type = "accumulator"
count = "N"

# For each tile its total or its prefix, with a tag; or the totals of chunks.
[[argument]]
name = "words"
kind = "scratch"
type = "u64"
count = '(accumulator == "f64" || accumulator == "i64" ? 2 : 1) * ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR)'
zero = true

# The number of calls so far (upper half) and the number of tiles taken in the current call.
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

# Let u be the unit roundoff of the accumulator (2^-24 or 2^-53). If S is the magnitude of the prefix after an addition,
# the error of the addition is at most u S in magnitude. Sums of n numbers uniform in [-100, 100] have S ~ 100 sqrt(n /
# 3). The longest chain at full magnitude is one addition for each tile of 2048 elements or more. Its errors add up like
# a random walk, to 100 u sqrt(n / 3) sqrt(n / 4096) = 100 u n / 111 as standard deviation at the end. n / 12 is nine of
# them, because the largest error of all prefixes counts. 256 covers small n. Integers and maxima are exact. The
# reference adds in double and rounds once.
[check]
reference = "entry"
entry = "scan_reference"
grid = ["1"]
block = ["1024"]
absolute = """\
  operation == "max" || accumulator == "i32" || accumulator == "i64" ? 0 : (accumulator == "f64" ? \
  1.1102230246251565e-16 : 5.9604644775390625e-8) * 100 * (256 + N / 12)"""
relative = 0.0
nondeterministic = """\
  ALGORITHM == "decoupled_look_back" && operation == "sum" && accumulator != "i32" && accumulator != "i64""""

[work]
flops = "N"
bytes = "N * (sizeof(dtype) + sizeof(accumulator))"
*/
#include "scan_tile.cuh"
#if LOOK_BACK
#include "scan_look_back.cuh"
#else
#include "scan_chunks.cuh"
#endif

// Launches that an algorithm does without exist all the same.
#if LOOK_BACK || REDUCE_THEN_SCAN
__global__ void scan_totals(const dtype*, accumulator*, unsigned long long*, unsigned long long*, long long) {
}
#endif
#if LOOK_BACK
__global__ void reduce_chunks(const dtype*, accumulator*, unsigned long long*, unsigned long long*,
                              long long) {}
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

__global__ void scan_reference(const dtype* a, accumulator* out, unsigned long long*, unsigned long long*,
                               long long n) {
  __shared__ Exact values[1024];
  Exact carry = static_cast<Exact>(identity());
  for (long long first = 0; first < n; first += 1024) {
    const long long i = first + threadIdx.x;
    Exact value = i < n ? static_cast<Exact>(to_accumulator(a[i])) : static_cast<Exact>(identity());
    values[threadIdx.x] = value;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const int from = static_cast<int>(threadIdx.x) - distance;
      const Exact other = from >= 0 ? values[from] : static_cast<Exact>(identity());
      __syncthreads();
      value = joined_exactly(other, value);
      values[threadIdx.x] = value;
      __syncthreads();
    }
#if EXCLUSIVE
    if (i < n)
      out[i] =
          static_cast<accumulator>(threadIdx.x == 0 ? carry : joined_exactly(carry, values[threadIdx.x - 1]));
#else
    if (i < n) out[i] = static_cast<accumulator>(joined_exactly(carry, value));
#endif
    carry = joined_exactly(carry, values[1023]);
    __syncthreads();
  }
}
#endif
