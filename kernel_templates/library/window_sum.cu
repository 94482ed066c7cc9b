/* warptune
[kernel]
name = "window_sum"
description = "out[i] = in[i] + ... + in[i + WIDTH - 1]"
about = """
Computes sums over a sliding window: N sums of WIDTH neighbouring elements each, from N + WIDTH - 1 inputs, in f32, f64
or i32.

`direct` adds every window separately, which takes WIDTH additions per output. From a certain width on (20 to 60),
memory is no longer the limit. With the other algorithms a thread computes ITEMS neighbouring outputs, whose windows
have everything except their ends in common.

Three algorithms compute that common part once, and each output then adds its own beginning and end. `common_part` adds
it element by element. `chunk_sums` adds the sums of chunks of ITEMS elements, which the block's threads leave in shared
memory. `prefix_sums` takes the difference of two prefix sums of those chunk sums. `running` makes each output from the
previous one: it adds one element and subtracts another. All algorithms but `running` and `prefix_sums` only add, so
that no window loses precision because of elements outside of it.

Inputs are read from global memory through L1, or copied to shared memory with the halo of WIDTH - 1 elements. With
FIXED_WIDTH the width is a constant of the compiled code.
"""
vendor = "no library, but with a device-to-device copy"
entry = "window_sum"

[kernel.defines]
KNOWN_WIDTH = "FIXED_WIDTH ? WIDTH : 0"
DIRECT = 'ALGORITHM == "direct"'
RUNNING = 'ALGORITHM == "running"'
CHUNK_SUMS = 'ALGORITHM == "chunk_sums"'
PREFIX_SUMS = 'ALGORITHM == "prefix_sums"'
IN_SHARED = 'SOURCE == "shared"'
STORE_STREAMING = 'STORE == "streaming"'

[problem]
N = { value = 67108864, description = "outputs" }
WIDTH = { value = 32, description = "elements of a window" }
dtype = { value = "f32", description = "type of inputs, sums and outputs" }

[problem_values]
dtype = ["f32", "f64", "i32"]

[parameters]
ALGORITHM.values = ["direct", "running", "common_part", "chunk_sums", "prefix_sums"]
ALGORITHM.description = "how a thread computes its windows"
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads per block" }
ITEMS.values = [1, 2, 4, 8, 16]
ITEMS.description = """\
  outputs that a thread computes at a time; with direct they are BLOCK apart, otherwise they are neighbours (a chunk)"""
CHUNKS_PER_THREAD.values = [1, 2, 4]
CHUNKS_PER_THREAD.when = 'ALGORITHM != "direct"'
CHUNKS_PER_THREAD.otherwise = 1
CHUNKS_PER_THREAD.description = "chunks of ITEMS outputs per thread"
VECTOR = { values = [1, 2, 4], description = "elements per access" }
SOURCE.values = ["global", "shared"]
SOURCE.description = "whether inputs are read from global memory, through L1, or from shared memory"
PAD_SHARED.values = [false, true]
PAD_SHARED.when = 'SOURCE == "shared" && ALGORITHM != "direct" && ITEMS > 1'
PAD_SHARED.otherwise = false
PAD_SHARED.description = "whether an element of shared memory is left unused after every 32, against bank conflicts"
FIXED_WIDTH = { values = [false, true], description = "whether WIDTH is a constant of the compiled code" }
UNROLL = { values = [1, 4, 16], description = "unrolled steps along a window" }
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { reason = "windows that may begin at any element are read element by element", expression = """\
      VECTOR == 1 || SOURCE == "shared" || ALGORITHM == "chunk_sums" || ALGORITHM == "prefix_sums" \
      || ALGORITHM == "common_part"""" },
  { expression = 'ALGORITHM == "direct" || ITEMS % VECTOR == 0', reason = "the outputs of a thread are whole vectors" },
  { reason = """\
      only the windows of several neighbouring outputs, at most WIDTH, have a common part""", expression = """\
      ALGORITHM == "direct" || ITEMS > 1 && ITEMS <= max(2, WIDTH)""" },
  { reason = "more outputs per thread would only lower the number of threads", expression = """\
      ITEMS * CHUNKS_PER_THREAD <= 16""" },
  { expression = "ITEMS * sizeof(dtype) <= 64", reason = "a thread holds at most 16 registers of outputs at a time" },
  { reason = "a block with a smaller tile takes longer to start than to run", expression = """\
      BLOCK * ITEMS * CHUNKS_PER_THREAD >= 256""" },
  { reason = """\
      in a tile of 8192 outputs the halo is already a small part, and the error bound relies on this \
      limit""", expression = """\
      BLOCK * ITEMS * CHUNKS_PER_THREAD <= 8192""" },
  { expression = "!PAD_SHARED || VECTOR == 1", reason = "vectors are not aligned between padding elements" },
  { expression = "UNROLL <= max(4, WIDTH)", reason = "unrolling more steps than the loop has gains nothing" },
  { reason = "with prefix_sums nothing is added along the window", expression = """\
      UNROLL == 1 || ALGORITHM != "prefix_sums"""" },
  { reason = "the inputs or the chunks' sums fit into shared memory", expression = """\
      (SOURCE == "shared" ? (BLOCK * ITEMS * CHUNKS_PER_THREAD + WIDTH + 4) * sizeof(dtype) \
      * (PAD_SHARED ? 33 / 32.0 : 1) : 0) + (ALGORITHM == "chunk_sums" || ALGORITHM == "prefix_sums" \
      ? (BLOCK * CHUNKS_PER_THREAD + WIDTH / ITEMS + 1) * sizeof(dtype) : 0) \
      <= device_shared_bytes_per_block_optin - 1024""" },
]

[default]
ALGORITHM = "direct"
BLOCK = 256
ITEMS = 1
CHUNKS_PER_THREAD = 1
VECTOR = 1
SOURCE = "global"
PAD_SHARED = false
FIXED_WIDTH = false
UNROLL = 4
STORE = "plain"

[launch]
grid = ["ceil_div(N, BLOCK * ITEMS * CHUNKS_PER_THREAD)"]
block = ["BLOCK"]
shared_bytes = """\
  (SOURCE == "shared" ? ceil_div(BLOCK * ITEMS * CHUNKS_PER_THREAD + WIDTH \
  + (PAD_SHARED ? ceil_div(BLOCK * ITEMS * CHUNKS_PER_THREAD + WIDTH, 32) : 0), 4) * 4 * sizeof(dtype) : 0) \
  + (ALGORITHM == "chunk_sums" || ALGORITHM == "prefix_sums" \
  ? (BLOCK * CHUNKS_PER_THREAD + WIDTH / ITEMS + 1) * sizeof(dtype) : 0)"""

# The range is large for the sake of the integers, too: sums of whole numbers from -1 to 1 would often agree by chance.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "N + WIDTH - 1"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[[argument]]
name = "width"
kind = "scalar"
type = "i32"
value = "WIDTH"

# Let u = 2^-24 (2^-53). A sum of k elements uniform in [-100, 100] has a magnitude of 58 sqrt(k), and of 350 sqrt(k) in
# the largest of many millions. Each rounding before that has a standard deviation of 0.4 u times the sum so far. After
# L additions they add up to 100 u sqrt(k L). A window added in order has k = L = WIDTH. A prefix sum spans at most k =
# 8192 + WIDTH elements, in at most L = 61 + WIDTH / 512 additions (the chunk, a thread's chunks, the scans). The
# tolerance is three times that for each: 300 u WIDTH, and 300 u sqrt(k L). Running sums have at most 32 roundings per
# thread, which is fewer. The reference adds in double.
[check]
reference = "entry"
entry = "window_sum_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = """\
  (dtype == "i32" ? 0 : dtype == "f64" ? 1.2e-16 : 6e-8) \
  * (300 * WIDTH + 300 * sqrt((8192 + WIDTH) * (61 + WIDTH / 512.0)))"""
relative = 0.0

# The minimum: each output adds one element and subtracts one.
[work]
flops = "2 * N"
bytes = "(2 * N + WIDTH - 1) * sizeof(dtype)"
unit = "fp32"
*/

#include "memory_access.cuh"

using Word = WordOf<VECTOR * sizeof(dtype)>::Type;

union Pack {
  Word word;
  dtype item[VECTOR];
};

[[maybe_unused]] constexpr int kUnroll = UNROLL;          // nvcc expands no macros in a pragma
constexpr int kTile = BLOCK * CHUNKS_PER_THREAD * ITEMS;  // outputs of a block

__device__ __forceinline__ void store(dtype* target, dtype value) {
#if STORE_STREAMING
  __stcs(target, value);
#else
  *target = value;
#endif
}

// A block's inputs, counted from its first output on. The first `count` exist.
struct Inputs {
  const dtype* first;
  long long count;
#if IN_SHARED
  const dtype* copy;
  __device__ __forceinline__ static int place(int i) {
#if PAD_SHARED
    return i + i / 32;
#else
    return i;
#endif
  }
#endif
  __device__ __forceinline__ dtype operator[](int i) const {
#if IN_SHARED
    return copy[place(i)];
#else
    return __ldg(first + i);
#endif
  }
};

#if IN_SHARED
__device__ __forceinline__ void copy_to_shared(dtype* target, const Inputs& inputs, int needed,
                                               bool aligned) {
  const int existing = inputs.count < needed ? static_cast<int>(inputs.count) : needed;
  int done = 0;
#if VECTOR > 1
  if (aligned) {
    const int words = existing / VECTOR;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < words; i += BLOCK) {
      reinterpret_cast<Word*>(target)[i] = __ldg(reinterpret_cast<const Word*>(inputs.first) + i);
    }
    done = words * VECTOR;
  }
#endif
#pragma unroll 4
  for (int i = done + static_cast<int>(threadIdx.x); i < existing; i += BLOCK)
    target[Inputs::place(i)] = __ldg(inputs.first + i);
  for (int i = existing + static_cast<int>(threadIdx.x); i < needed; i += BLOCK)
    target[Inputs::place(i)] = dtype(0);
}
#endif

#if !DIRECT
// `ITEMS` inputs from `own` on; those that do not exist are 0.
__device__ __forceinline__ void read_chunk(dtype (&values)[ITEMS], const Inputs& inputs, int own,
                                           bool aligned) {
#if IN_SHARED && VECTOR == 1
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) values[k] = inputs[own + k];
#else
#if IN_SHARED
  const Word* words = reinterpret_cast<const Word*>(inputs.copy + own);
#else
  const Word* words = reinterpret_cast<const Word*>(inputs.first + own);
  if (!aligned || own + ITEMS > inputs.count) {
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) values[k] = own + k < inputs.count ? inputs[own + k] : dtype(0);
    return;
  }
#endif
#pragma unroll
  for (int k = 0; k < ITEMS / VECTOR; ++k) {
    Pack pack;
#if IN_SHARED
    pack.word = words[k];
#else
    pack.word = __ldg(words + k);
#endif
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[k * VECTOR + j] = pack.item[j];
  }
#endif
}

// Writes the outputs from `own` on of which `left` exist.
__device__ __forceinline__ void write_chunk(dtype* out, const dtype (&values)[ITEMS], int left,
                                            bool aligned) {
  if (aligned && left >= ITEMS) {
#pragma unroll
    for (int k = 0; k < ITEMS / VECTOR; ++k) {
      Pack pack;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) pack.item[j] = values[k * VECTOR + j];
#if STORE_STREAMING
      __stcs(reinterpret_cast<Word*>(out) + k, pack.word);
#else
      reinterpret_cast<Word*>(out)[k] = pack.word;
#endif
    }
  } else {
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (k < left) store(out + k, values[k]);
    }
  }
}
#endif

// Adds windows from scratch; a thread's outputs are BLOCK apart, so that neighbouring threads read neighbouring
// elements.
__device__ __forceinline__ void direct_sums(const Inputs& inputs, dtype* out, int outputs, int width,
                                            int items) {
  const int thread = static_cast<int>(threadIdx.x);
#if DIRECT
  if (outputs == kTile) {
    dtype sums[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) sums[k] = 0;
#pragma unroll kUnroll
    for (int j = 0; j < width; ++j) {
#pragma unroll
      for (int k = 0; k < ITEMS; ++k) sums[k] += inputs[thread + k * BLOCK + j];
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) store(out + thread + k * BLOCK, sums[k]);
    return;
  }
#endif
#pragma unroll 1
  for (int i = thread; i < outputs; i += BLOCK) {
    dtype sum = 0;
    for (int j = 0; j < width; ++j) sum += inputs[i + j];
    store(out + i, sum);
  }
}

#if PREFIX_SUMS
// Replaces `count` values by their exclusive prefix sums, in place; one more place receives the sum of all.
__device__ __forceinline__ void scan(dtype* values, int count) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ dtype of_warps[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int share =
      (count + BLOCK - 1) / BLOCK | 1;  // odd, so that the threads' shares begin in different banks
  const int begin = thread * share < count ? thread * share : count;
  const int end = begin + share < count ? begin + share : count;
  dtype sum = 0;
  for (int i = begin; i < end; ++i) sum += values[i];
  dtype upto = sum;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const dtype other = __shfl_up_sync(0xffffffffu, upto, distance);
    if (lane >= distance) upto += other;
  }
  if (lane == 31) of_warps[thread / 32] = upto;
  __syncthreads();
  dtype before = upto - sum;
#if BLOCK > 64
  dtype warp_sum = lane < kWarps ? of_warps[lane] : dtype(0);
#pragma unroll
  for (int distance = 1; distance < kWarps; distance *= 2) {
    const dtype other = __shfl_up_sync(0xffffffffu, warp_sum, distance);
    if (lane >= distance) warp_sum += other;
  }
  const dtype warps_before = __shfl_sync(0xffffffffu, warp_sum, (thread / 32 + 31) % 32);
  if (thread >= 32) before += warps_before;
#else
  if (thread >= 32) before += of_warps[0];
#endif
  for (int i = begin; i < end; ++i) {
    const dtype value = values[i];
    values[i] = before;
    before += value;
  }
  if (end == count && begin < end) values[count] = before;
}
#endif

__global__ void __launch_bounds__(BLOCK)
    window_sum(const dtype* __restrict__ in, dtype* __restrict__ out, long long n, int given_width) {
#if KNOWN_WIDTH > 0
  constexpr int width = KNOWN_WIDTH;
#else
  const int width = given_width;
#endif
  const long long first = static_cast<long long>(blockIdx.x) * kTile;
  const int outputs = n - first < kTile ? static_cast<int>(n - first) : kTile;
  [[maybe_unused]] const bool aligned =
      (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % sizeof(Word) == 0;
  out += first;
  Inputs inputs;
  inputs.first = in + first;
  inputs.count = n - first + width - 1;

#if IN_SHARED || CHUNK_SUMS || PREFIX_SUMS
  extern __shared__ uint4 shared_words[];
#endif
#if IN_SHARED
  dtype* copy = reinterpret_cast<dtype*>(shared_words);
  inputs.copy = copy;
  copy_to_shared(copy, inputs, kTile + width - 1, aligned);
  __syncthreads();
#endif

#if DIRECT
  direct_sums(inputs, out, outputs, width, ITEMS);
#else
  if (width < ITEMS) {
    direct_sums(inputs, out, outputs, width, 1);
    return;
  }
  const int thread = static_cast<int>(threadIdx.x);
#if RUNNING
#pragma unroll
  for (int group = 0; group < CHUNKS_PER_THREAD; ++group) {
    const int own = (thread + group * BLOCK) * ITEMS;
    if (own >= outputs) break;
    dtype values[ITEMS];
    dtype sum = 0;
#pragma unroll kUnroll
    for (int j = 0; j < width; ++j) sum += inputs[own + j];
    values[0] = sum;
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) {
      if (own + k < outputs) sum += inputs[own + width - 1 + k] - inputs[own - 1 + k];
      values[k] = sum;
    }
    write_chunk(out + own, values, outputs - own, aligned);
  }
#else
  // suffixes[group][k] is the sum of a chunk's elements from k on.
  dtype suffixes[CHUNKS_PER_THREAD][ITEMS];
#pragma unroll
  for (int group = 0; group < CHUNKS_PER_THREAD; ++group)
    read_chunk(suffixes[group], inputs, (thread + group * BLOCK) * ITEMS, aligned);
#pragma unroll
  for (int group = 0; group < CHUNKS_PER_THREAD; ++group) {
#pragma unroll
    for (int k = ITEMS - 2; k >= 0; --k) suffixes[group][k] += suffixes[group][k + 1];
  }
#if CHUNK_SUMS || PREFIX_SUMS
  // The sums of the block's chunks, and of as many behind as windows reach.
  const int chunks_of_window = width / ITEMS;
  const int chunks = BLOCK * CHUNKS_PER_THREAD + chunks_of_window - 1;
#if IN_SHARED
#if PAD_SHARED
  constexpr int kPad = 1;
#else
  constexpr int kPad = 0;
#endif
  dtype* sums = copy + (kTile + width + kPad * ((kTile + width + 31) / 32) + 3) / 4 * 4;
#else
  dtype* sums = reinterpret_cast<dtype*>(shared_words);
#endif
#pragma unroll
  for (int group = 0; group < CHUNKS_PER_THREAD; ++group) sums[thread + group * BLOCK] = suffixes[group][0];
#pragma unroll 1
  for (int chunk = BLOCK * CHUNKS_PER_THREAD + thread; chunk < chunks; chunk += BLOCK) {
    dtype values[ITEMS];
    read_chunk(values, inputs, chunk * ITEMS, aligned);
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) values[0] += values[k];
    sums[chunk] = values[0];
  }
  __syncthreads();
#if PREFIX_SUMS
  scan(sums, chunks);
  __syncthreads();
#endif
#endif

#pragma unroll
  for (int group = 0; group < CHUNKS_PER_THREAD; ++group) {
    const int chunk = thread + group * BLOCK;
    const int own = chunk * ITEMS;
    if (own >= outputs) break;
    dtype common = 0;
#if CHUNK_SUMS || PREFIX_SUMS
#if CHUNK_SUMS
#pragma unroll kUnroll
    for (int j = 1; j < chunks_of_window; ++j) common += sums[chunk + j];
#else
    common = sums[chunk + chunks_of_window] - sums[chunk + 1];
#endif
    for (int j = chunks_of_window * ITEMS; j < width; ++j) common += inputs[own + j];
#else
#pragma unroll kUnroll
    for (int j = ITEMS; j < width; ++j) common += inputs[own + j];
#endif
    dtype values[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      values[k] = suffixes[group][k] + common;
      if (k + 1 < ITEMS && own + k + 1 < outputs) common += inputs[own + width + k];
    }
    write_chunk(out + own, values, outputs - own, aligned);
  }
#endif
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void window_sum_reference(const dtype* in, dtype* out, long long n, int width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;  // exact for integers
  for (int j = 0; j < width; ++j) sum += static_cast<double>(in[i + j]);
  out[i] = static_cast<dtype>(sum);
}
#endif
