/* warptune
[kernel]
name = "histogram"
description = "counts N samples in BINS bins of equal width between two levels"
vendor = "cub::DeviceHistogram::HistogramEven"
about = """
Counts how many of N samples fall into each of BINS bins of equal width between LOWER (included) and UPPER (excluded).
Samples outside are dropped. The bin of an integer is floor((sample - LOWER) BINS / (UPPER - LOWER)), computed exactly.
The bin of an f32 takes one subtraction and one multiplication. Setting the counters to 0 is part of the evaluation.

Persistent blocks keep COPIES_PER_BLOCK private histograms in shared memory. Neighbouring lanes or warps use different
copies (COPY_LAYOUT), so that they rarely update the same counter or bank. Few bins need many copies. If a block may use
227 KiB of shared memory, one copy holds about 58 thousand bins. Further bins are counted in global memory.

With AGGREGATION, one addition counts several samples of the same bin: a run of consecutive samples of a thread, or
samples of several threads of a warp. A run may continue from one load to the next. Aggregation makes the kernel faster
on constant and skewed data. The private histograms are combined by global atomics or by a second kernel (MERGE). With
COUNTER_MEMORY = "global", samples are counted directly in global memory, where L2 executes the additions. This suits
very many bins.

For 32-bit integers LOWER and UPPER must lie within the type's range, because the difference sample - LOWER is computed
modulo 2^32.

The best configuration depends on the data (`data`: uniform, constant or skewed) as much as on BINS and the type. For
samples of 1 or 2 bytes, the rate of atomics on shared memory is the limit. For samples of 4 bytes, device memory is the
limit.
"""
entry = "histogram"
[kernel.defines]
SAMPLE_IS_FLOAT = 'dtype == "f32"'
IN_SHARED = 'COUNTER_MEMORY == "shared"'
INTERLEAVED = 'COPY_LAYOUT == "interleaved"'
AGGREGATE_THREAD_RUNS = 'AGGREGATION == "thread_runs"'
AGGREGATE_WARP_MATCH_ANY = 'AGGREGATION == "warp_match_any"'
AGGREGATE_WARP_MATCH_ALL = 'AGGREGATION == "warp_match_all"'
MERGE_SECOND_KERNEL = 'MERGE == "second_kernel"'
BIN_IS_OFFSET = 'dtype != "f32" && BINS == UPPER - LOWER'
NARROW_RANGE = 'UPPER - LOWER <= 65536'
ALL_INSIDE = """\
  dtype == "u8" && LOWER <= 0 && UPPER >= 256 || dtype == "i8" && LOWER <= -128 && UPPER >= 128 || dtype == "u16" \
  && LOWER <= 0 && UPPER >= 65536 || dtype == "i16" && LOWER <= -32768 && UPPER >= 32768"""
OVERFLOWS = 'COUNTER_MEMORY == "shared" && (BINS + 1) * 4 > device_shared_bytes_per_block_optin'
SHARED_BINS = "device_shared_bytes_per_block_optin / 4"

[problem]
N = { value = 67108864, description = "samples" }
BINS = { value = 256, description = "bins of equal width" }
LOWER = { value = 0, description = "lower level of the first bin" }
UPPER = { value = 256, description = "upper level of the last bin" }
dtype = { value = "f32", description = "type of a sample" }
data.value = "uniform"
data.description = "which samples are generated: evenly over all bins, all equal, or most of them in the first bins"

[problem_values]
dtype = ["u8", "i8", "u16", "i16", "u32", "i32", "f32"]
data = ["uniform", "constant", "skewed"]

[parameters]
BLOCK = { values = [128, 256, 384, 512, 768, 1024], description = "threads per block" }
BLOCKS_PER_SM.values = [1, 2, 3, 4, 6, 8]
BLOCKS_PER_SM.description = "persistent blocks per SM, each of which loops over the samples"
VECTORS_PER_THREAD = { values = [1, 2, 4, 8], description = "vector loads in flight per thread" }
VECTOR = { values = [1, 2, 4, 8, 16], description = "samples per vector load" }
PREFETCH.values = [false, true]
PREFETCH.description = "whether the next samples are loaded before the current ones are counted"
LOAD = { values = ["plain", "streaming"], description = "cache hint of loads" }
COUNTER_MEMORY.values = ["shared", "global"]
COUNTER_MEMORY.description = "where samples are counted: in private histograms of the block, or directly in the result"
COPIES_PER_BLOCK.values = [1, 2, 4, 8, 16, 32]
COPIES_PER_BLOCK.description = "private histograms per block"
COPIES_PER_BLOCK.when = 'COUNTER_MEMORY == "shared"'
COPIES_PER_BLOCK.otherwise = 1
COPY_LAYOUT.values = ["interleaved", "contiguous"]
COPY_LAYOUT.description = """\
  interleaved: the counters of a bin lie side by side, and lanes use different copies; contiguous: the copies lie one \
  after the other, and warps use different ones"""
COPY_LAYOUT.when = "COPIES_PER_BLOCK > 1"
COPY_LAYOUT.otherwise = "interleaved"
AGGREGATION.values = ["none", "thread_runs", "warp_match_any", "warp_match_all"]
AGGREGATION.description = """\
  which samples are counted by one addition; none: each sample alone; thread_runs: successive samples of a thread in \
  one bin; warp_match_any: all samples of a warp in one bin; warp_match_all: all samples of a warp if they are in the \
  same bin"""
MERGE.values = ["atomic", "second_kernel"]
MERGE.description = "how the histograms of the blocks are combined: by atomic additions or by a second kernel"
MERGE.when = 'COUNTER_MEMORY == "shared"'
MERGE.otherwise = "atomic"

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest load is 16 bytes" },
  { reason = "more samples in flight take registers and code but hide no more latency", expression = """\
    VECTORS_PER_THREAD * VECTOR * sizeof(dtype) <= 64 && VECTORS_PER_THREAD * VECTOR <= 32""" },
  { reason = "a thread needs at least four loads in flight if each has less than 4 bytes", expression = """\
    VECTOR * sizeof(dtype) >= 4 || VECTORS_PER_THREAD >= 4""" },
  { reason = "all persistent blocks must be resident at once", expression = """\
    BLOCK * BLOCKS_PER_SM <= device_max_threads_per_sm""" },
  { expression = "BLOCK * BLOCKS_PER_SM >= 256", reason = "fewer threads per SM cannot hide latency" },
  { reason = """\
    the samples in flight, addresses and levels of all threads fit into the registers of an SM""", expression = """\
    (VECTORS_PER_THREAD * VECTOR * sizeof(dtype) / 4 * (PREFETCH ? 2 : 1) + 24) * BLOCK * BLOCKS_PER_SM <= \
    device_registers_per_sm""" },
  { reason = "the copies fit into shared memory", expression = """\
    COPIES_PER_BLOCK == 1 || COPIES_PER_BLOCK * (BINS + 1) * 4 <= device_shared_bytes_per_block_optin""" },
  { reason = "the requested number of blocks fits into the shared memory of an SM", expression = """\
    BLOCKS_PER_SM <= 2 || BLOCKS_PER_SM * (COPIES_PER_BLOCK * (BINS + 1) * 4 + 1024) <= device_shared_bytes_per_sm""" },
  { reason = "zeroing so many copies and adding them up takes longer than the time that they save", expression = """\
    COPIES_PER_BLOCK * BINS <= 64 * BLOCK || COPIES_PER_BLOCK == 1""" },
  { expression = 'MERGE != "second_kernel" || BINS <= 65536', reason = "the partial histograms stay in L2" },
]

[default]
BLOCK = 256
BLOCKS_PER_SM = 2
VECTORS_PER_THREAD = 4
VECTOR = 1
PREFETCH = false
LOAD = "plain"
COUNTER_MEMORY = "shared"
COPIES_PER_BLOCK = 1
COPY_LAYOUT = "interleaved"
AGGREGATION = "none"
MERGE = "atomic"

# What is known to be fast for evenly distributed samples. Found by bench_size_matrix on an H200 with f32.
[[recommended]]
when = 'dtype == "f32" && data == "uniform" && BINS > 8192 && N <= 1000000'
[recommended.values]
BLOCK = 384
VECTORS_PER_THREAD = 1
COUNTER_MEMORY = "global"

[[recommended]]
when = 'dtype == "f32" && data == "uniform" && BINS <= 1024 && N <= 1000000'
[recommended.values]
BLOCK = 384
BLOCKS_PER_SM = 4
VECTORS_PER_THREAD = 1
VECTOR = 4
LOAD = "streaming"
COPIES_PER_BLOCK = 16
COPY_LAYOUT = "contiguous"

[[recommended]]
when = 'dtype == "f32" && data == "uniform"'
[recommended.values]
BLOCK = 1024
BLOCKS_PER_SM = 1
VECTORS_PER_THREAD = 8
VECTOR = 2
COPIES_PER_BLOCK = 2
COPY_LAYOUT = "contiguous"

[launch]
grid = ["min(ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR), BLOCKS_PER_SM * device_sm_count)"]
block = ["BLOCK"]
shared_bytes = """\
  COUNTER_MEMORY == "shared" ? min(COPIES_PER_BLOCK * (BINS + 1) * 4, device_shared_bytes_per_block_optin) : 0"""

[[launch.before]]
entry = "zero_counts"
grid = ["ceil_div(BINS, 256)"]
block = ["256"]
when = 'MERGE == "atomic" || (BINS + 1) * 4 > device_shared_bytes_per_block_optin'

[[launch.after]]
entry = "sum_partials"
grid = ["ceil_div(BINS, 32)"]
block = ["512"]
when = 'MERGE == "second_kernel"'

# `u` of [0, 1) is spread over the levels. Integer types get whole numbers, so that no sample is rounded up to the upper
# level.
[[argument]]
name = "samples"
kind = "in"
type = "dtype"
count = "N"
init.kind = "expression"
init.value = """\
  dtype == "f32" ? LOWER + (UPPER - LOWER) * (data == "constant" ? 0.625 : data == "skewed" ? pow(u, 6) : u) : \
  floor(LOWER + (UPPER - LOWER) * (data == "constant" ? 0.625 : data == "skewed" ? pow(u, 6) : u))"""
init.seed = 1

[[argument]]
name = "counts"
kind = "out"
type = "u32"
count = "BINS"

# One histogram for each block.
[[argument]]
name = "partials"
kind = "scratch"
type = "u32"
count = """\
  MERGE == "second_kernel" ? BINS * min(ceil_div(N, BLOCK * VECTORS_PER_THREAD * VECTOR), BLOCKS_PER_SM * \
  device_sm_count) : 1"""

# The number of partial histograms.
[[argument]]
name = "state"
kind = "scratch"
type = "u32"
count = "1"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[[argument]]
name = "bins"
kind = "scalar"
type = "i32"
value = "BINS"

[[argument]]
name = "lower"
kind = "scalar"
type = "f64"
value = "LOWER"

[[argument]]
name = "upper"
kind = "scalar"
type = "f64"
value = "UPPER"

# Counts are exact in any order. The reference finds the bin of an integer by a plain division.
[check]
reference = "entry"
entry = "histogram_reference"
grid = ["ceil_div(BINS, 1024)"]
block = ["1024"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "N * sizeof(dtype) + 4 * BINS"
*/
#include "histogram_levels.cuh"
#include "memory_access.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

union Pack {
  Word word;
  dtype item[VECTOR];
};

#if INTERLEAVED
constexpr unsigned kStep = COPIES_PER_BLOCK;
#else
constexpr unsigned kStep = 1;
#endif

// Where a thread counts. In shared memory a copy has a counter more, of the samples outside, which saves a branch
// around each addition.
struct Counters {
  unsigned* counts;  // in global memory
  unsigned bins;
#ifdef __CUDA_ARCH__
  unsigned own;  // address of this thread's copy in shared memory
#else
  unsigned* own;
#endif

  __device__ __forceinline__ void add(unsigned bin, unsigned count) const {
#if !IN_SHARED
    if (bin < bins) atomicAdd(counts + bin, count);
#elif OVERFLOWS
    if (bin < SHARED_BINS) {
      add_to_own(bin, count);
    } else if (bin < bins) {
      atomicAdd(counts + bin, count);
    }
#else
    add_to_own(bin, count);
#endif
  }
  __device__ __forceinline__ void add_to_own(unsigned bin, unsigned count) const {
#ifdef __CUDA_ARCH__
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(own + bin * (kStep * 4)), "r"(count) : "memory");
#else
    atomicAdd(own + bin * kStep, count);
#endif
  }
};

// A thread's run of equal bins, not yet counted.
struct Run {
  unsigned bin;
  unsigned length;
};

// Counts samples. Every lane of the warp takes part.
__device__ __forceinline__ void count(const Pack (&words)[VECTORS_PER_THREAD], const Levels& levels,
                                      const Counters& counters, Run& run) {
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      const unsigned bin = levels.bin(words[i].item[j]);
#if AGGREGATE_THREAD_RUNS
      const bool ends = bin != run.bin;
      if (ends) counters.add(run.bin, run.length);
      run.bin = bin;
      run.length = ends ? 1 : run.length + 1;
#elif AGGREGATE_WARP_MATCH_ANY
      const unsigned equal = __match_any_sync(0xffffffffu, bin);
      const bool leads = (equal & ((1u << threadIdx.x % 32) - 1)) == 0;
      if (leads) counters.add(bin, static_cast<unsigned>(__popc(equal)));
#elif AGGREGATE_WARP_MATCH_ALL
      int same = 0;
      __match_all_sync(0xffffffffu, bin, &same);
      if (same == 0 || threadIdx.x % 32 == 0) counters.add(bin, same == 0 ? 1 : 32);
#else
      counters.add(bin, 1);
#endif
    }
  }
}

__device__ __forceinline__ void load(Pack (&words)[VECTORS_PER_THREAD], const dtype* tile) {
  const Word* source = reinterpret_cast<const Word*>(tile) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < VECTORS_PER_THREAD; ++i) words[i].word = load_word<LoadHint::LOAD>(source + i * BLOCK);
}

// Counts the block's samples.
__device__ __forceinline__ void count_samples(const dtype* __restrict__ samples, const Levels& levels,
                                              const Counters& counters, long long n) {
  constexpr int kTile = BLOCK * VECTORS_PER_THREAD * VECTOR;
  const int thread = static_cast<int>(threadIdx.x);
  Run run{levels.bins, 0};
  const long long tiles = reinterpret_cast<size_t>(samples) % sizeof(Word) == 0 ? n / kTile : 0;
  Pack words[VECTORS_PER_THREAD];
#if PREFETCH
  if (blockIdx.x < tiles) load(words, samples + static_cast<long long>(blockIdx.x) * kTile);
#endif
#pragma unroll 1
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#if PREFETCH
    Pack next[VECTORS_PER_THREAD];
    if (tile + gridDim.x < tiles) load(next, samples + (tile + gridDim.x) * kTile);
    count(words, levels, counters, run);
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) words[i] = next[i];
#else
    load(words, samples + tile * kTile);
    count(words, levels, counters, run);
#endif
  }
#if AGGREGATE_THREAD_RUNS
  counters.add(run.bin, run.length);
#endif
#pragma unroll 1
  for (long long i = tiles * kTile + static_cast<long long>(blockIdx.x) * BLOCK + thread; i < n;
       i += static_cast<long long>(gridDim.x) * BLOCK) {
    counters.add(levels.bin(samples[i]), 1);
  }
}

#if IN_SHARED
// Adds up the block's private histograms, of `private_bins` bins each, and adds them to the result or leaves them for
// sum_partials. `copy_size` are the counters of a copy.
__device__ __forceinline__ void merge_copies(const unsigned* private_counts, int private_bins, int copy_size,
                                             unsigned* counts, unsigned* partials, unsigned* state) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int bin = thread; bin < private_bins; bin += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES_PER_BLOCK; ++copy) {
#if INTERLEAVED
      sum += private_counts[bin * COPIES_PER_BLOCK +
                            (copy + thread) % COPIES_PER_BLOCK];  // each lane begins at another bank
#else
      sum += private_counts[copy * copy_size + bin];
#endif
    }
#if MERGE_SECOND_KERNEL
    partials[static_cast<long long>(blockIdx.x) * private_bins + bin] = sum;
#else
    if (sum != 0) atomicAdd(counts + bin, sum);
#endif
  }
#if MERGE_SECOND_KERNEL
  if (blockIdx.x == 0 && thread == 0) *state = gridDim.x;
#endif
}
#endif

__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM)
    histogram(const dtype* __restrict__ samples, unsigned* counts, unsigned* partials, unsigned* state,
              long long n, int bins, double lower, double upper) {
  const Levels levels(lower, upper, bins);
  Counters counters;
  counters.counts = counts;
  counters.bins = levels.bins;
#if IN_SHARED
  const int thread = static_cast<int>(threadIdx.x);
  extern __shared__ unsigned private_counts[];
#if OVERFLOWS
  const int private_bins = SHARED_BINS;
  const int copy_size = SHARED_BINS;  // samples outside go past these
#else
  const int private_bins = bins;
  const int copy_size = bins + 1;
#endif
#if INTERLEAVED
  unsigned* const own = private_counts + thread % COPIES_PER_BLOCK;
#else
  unsigned* const own = private_counts + thread / 32 % COPIES_PER_BLOCK * copy_size;
#endif
#ifdef __CUDA_ARCH__
  counters.own = shared_address(own);
#else
  counters.own = own;
#endif
  for (int i = thread; i < COPIES_PER_BLOCK * copy_size; i += BLOCK) private_counts[i] = 0;
  __syncthreads();
#endif

  count_samples(samples, levels, counters, n);
#if IN_SHARED
  __syncthreads();
  merge_copies(private_counts, private_bins, copy_size, counts, partials, state);
#endif
}

__global__ void zero_counts(const dtype*, unsigned* counts, unsigned*, unsigned*, long long, int bins, double,
                            double) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < bins) counts[i] = 0;
}

// 32 bins a block; each of its 16 warps adds up every 16th partial histogram.
__global__ void __launch_bounds__(512) sum_partials(const dtype*, unsigned* counts, unsigned* partials,
                                                    unsigned* state, long long, int bins, double, double) {
  __shared__ unsigned sums[16 * 32];
#if OVERFLOWS
  const int private_bins = SHARED_BINS;  // the others are counted already
#else
  const int private_bins = bins;
#endif
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int bin = static_cast<int>(blockIdx.x) * 32 + lane;
  unsigned sum = 0;
  if (bin < private_bins) {
    const unsigned count = *state;
#pragma unroll 8
    for (unsigned i = warp; i < count; i += 16)
      sum += __ldcg(partials + static_cast<long long>(i) * private_bins + bin);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (warp == 0 && bin < private_bins) {
#pragma unroll
    for (int i = 1; i < 16; ++i) sum += sums[i * 32 + lane];
    counts[bin] = sum;
  }
}

#ifdef WARPTUNE_REFERENCE
// Each block goes over all samples and counts those of its 1024 bins.
__global__ void histogram_reference(const dtype* samples, unsigned* counts, unsigned*, unsigned*, long long n,
                                    int bins, double lower, double upper) {
  __shared__ unsigned own[1024];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * 1024;
  own[thread] = 0;
  __syncthreads();
#if SAMPLE_IS_FLOAT
  const float low = static_cast<float>(lower), high = static_cast<float>(upper),
              scale = static_cast<float>(bins) / (high - low);
#else
  const long long low = static_cast<long long>(lower), high = static_cast<long long>(upper);
#endif
#pragma unroll 8
  for (long long i = thread; i < n; i += 1024) {
#if SAMPLE_IS_FLOAT
    const float sample = samples[i];
    if (!(sample >= low && sample < high)) continue;
    int bin = static_cast<int>((sample - low) * scale);
    if (bin >= bins) bin = bins - 1;
#else
    const long long sample = samples[i];
    if (sample < low || sample >= high) continue;
    const int bin = static_cast<int>((sample - low) * bins / (high - low));
#endif
    if (bin >= first && bin < first + 1024) atomicAdd(own + (bin - first), 1u);
  }
  __syncthreads();
  if (first + thread < bins) counts[first + thread] = own[thread];
}
#endif
