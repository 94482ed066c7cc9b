/* warptune
[kernel]
name = "layernorm"
description = "out = (in - mean) / sqrt(variance + epsilon) * gamma + beta, row by row"
about = """
Layer normalisation of every row of a row-major matrix, in f32, f16 or bf16, computed in single precision. The row's
mean is subtracted. The difference is divided by the row's standard deviation (epsilon is added to the variance). The
result is scaled and shifted by the vectors gamma and beta. Rows may have any length. `rmsnorm` is the same kernel
without mean and beta.

The threads that share a row combine their sums by shuffles, through shared memory and through distributed shared
memory. There are THREADS_PER_ROW of them in a block, or in each block of a cluster. ROW_STORAGE chooses where a row is
kept between the times it is read: in registers, in shared memory, or nowhere. In the last case it is loaded again. The
length of a row in registers must be known at compile time, so such a kernel is compiled for one number of columns.

With REDUCTION = `two_pass` threads first exchange the sum for the mean, and then the sum of the squared deviations.
With `single_pass` they exchange one pair of sums: the differences to the row's first element, and their squares. The
farther that element is from the mean, the more precision is lost.

A short row needs a warp or less. A row of more than 16384 elements needs a cluster, or is loaded again from the caches.
gamma and beta are loaded from the caches for every row, unless a persistent block keeps them (WEIGHT_LOAD). If a row's
length is not a multiple of VECTOR, or an array is not aligned, elements are accessed one by one.
"""
vendor = "cuDNN's layer normalisation, forward inference (graph API)"
entry = "row_norm"
recommended = "layernorm.recommended.toml"

[kernel.defines]
VECTORS = """\
  ROW_STORAGE == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW) : VECTORS_PER_THREAD"""
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
IS_LAYERNORM = 'operation == "layernorm"'
ROW_IN_REGISTERS = 'ROW_STORAGE == "registers"'
ROW_IN_SHARED = 'ROW_STORAGE == "shared"'
SINGLE_PASS = 'REDUCTION == "single_pass"'
WEIGHTS_WITH_ROW = 'WEIGHT_LOAD == "with_row"'
WEIGHTS_PER_BLOCK = 'WEIGHT_LOAD == "per_block"'
WEIGHTS_IN_REGISTERS = 'WEIGHT_LOAD != "on_use"'
LOAD_CP_ASYNC = 'LOAD == "cp_async"'
LOAD_HINT = 'LOAD == "cp_async" ? "plain" : LOAD'
PERSISTENT = "BLOCKS_PER_SM > 0"
MIN_BLOCKS = "max(1, MIN_THREADS_PER_SM / (THREADS_PER_ROW * ROWS_PER_BLOCK))"

[problem]
ROWS = { value = 16384, description = "rows of the matrix" }
COLUMNS = { value = 4096, description = "elements of a row" }
dtype = { value = "f32", description = "type of the matrices and of gamma and beta" }
operation.value = "layernorm"
operation.description = """\
  layernorm, or rmsnorm, which divides by the root of the mean square and has no mean and no beta"""

[problem_values]
dtype = ["f32", "f16", "bf16"]
operation = ["layernorm", "rmsnorm"]

[parameters]
THREADS_PER_ROW = { values = [8, 16, 32, 64, 128, 256, 512, 1024], description = "threads of a block that share a row" }
ROWS_PER_BLOCK = { values = [1, 2, 4, 8, 16, 32], description = "rows that a block works on at a time" }
VECTOR = { values = [1, 2, 4, 8], description = "elements per vector load or store" }
ROW_STORAGE.values = ["registers", "shared", "global"]
ROW_STORAGE.description = """\
  where a row is kept between the times it is read; global: it is not kept but loaded again, at best from the caches"""
VECTORS_PER_THREAD.values = [1, 2, 4, 8]
VECTORS_PER_THREAD.when = 'ROW_STORAGE != "registers"'
VECTORS_PER_THREAD.otherwise = 1
VECTORS_PER_THREAD.description = "vector loads in flight per thread"
REDUCTION.values = ["single_pass", "two_pass"]
REDUCTION.when = 'operation == "layernorm"'
REDUCTION.otherwise = "two_pass"
REDUCTION.description = """\
  how threads combine their sums; single_pass: mean and variance at once; two_pass: first the mean, then the variance"""
CLUSTER = { values = [1, 2, 4, 8, 16], description = "blocks that share a row" }
BLOCKS_PER_SM.values = [0, 1, 2, 4, 8, 16]
BLOCKS_PER_SM.description = """\
  persistent blocks per SM, each of which loops over rows; 0: each block processes its rows and ends"""
MIN_THREADS_PER_SM.values = [0, 768, 1024, 1536, 2048]
MIN_THREADS_PER_SM.description = """\
  threads that an SM must be able to hold; this limits the registers per thread (__launch_bounds__); 0: no limit"""
LOAD.values = ["plain", "streaming", "no_allocate", "cp_async"]
LOAD.description = """\
  plain: read-only path; streaming: evicted first; no_allocate: not kept in L1; cp_async: asynchronous copies to \
  shared memory"""
STAGES.values = [1, 2]
STAGES.when = 'LOAD == "cp_async" && BLOCKS_PER_SM > 0'
STAGES.otherwise = 1
STAGES.description = "rows in shared memory; with 2 the next row is copied while the current one is processed"
STORE = { values = ["plain", "streaming"], description = "cache hint of stores" }
WEIGHT_LOAD.values = ["on_use", "with_row", "per_block"]
WEIGHT_LOAD.description = """\
  when gamma and beta are loaded: when they are used, together with the row, or once in each persistent block"""

[constraints]
list = [
  { expression = "VECTOR * sizeof(dtype) <= 16", reason = "the widest access is 16 bytes" },
  { expression = "THREADS_PER_ROW * ROWS_PER_BLOCK >= 64", reason = "blocks of one warp leave half of an SM empty" },
  { expression = "THREADS_PER_ROW * ROWS_PER_BLOCK <= 1024", reason = "a block has at most 1024 threads" },
  { reason = "clusters of blocks need compute capability 9.0", expression = """\
    CLUSTER == 1 || device_compute_capability >= 90""" },
  { reason = "clusters of more than 8 blocks run only on data-centre GPUs", expression = """\
    CLUSTER <= 8 || device_compute_capability < 110""" },
  { reason = "a row that several blocks share has work for all of their threads", expression = """\
    CLUSTER == 1 || ROWS_PER_BLOCK == 1 && THREADS_PER_ROW >= 128""" },
  { reason = "for a short row the exchange between blocks takes longer than the work on the row", expression = """\
    CLUSTER == 1 || CLUSTER * 4096 <= COLUMNS""" },
  { reason = "a row has at least one vector for every second thread", expression = """\
    THREADS_PER_ROW * VECTOR * CLUSTER <= max(256, 2 * COLUMNS)""" },
  { reason = "gamma and beta are kept in registers only if the row is kept there, too", expression = """\
    WEIGHT_LOAD == "on_use" || ROW_STORAGE == "registers"""" },
  { reason = "only persistent blocks use gamma and beta for more than one group of rows", expression = """\
    WEIGHT_LOAD != "per_block" || BLOCKS_PER_SM > 0""" },
  { reason = "at most 64 registers hold a thread's part of the row", expression = """\
    ROW_STORAGE != "registers" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW) * VECTOR <= 64""" },
  { reason = "at most 96 registers hold a thread's part of the row, gamma and beta", expression = """\
    WEIGHT_LOAD == "on_use" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW) * VECTOR * (4 + \
    (operation == "layernorm" ? 2 : 1) * sizeof(dtype)) <= 384""" },
  { reason = "the rows of a block fit into the registers", expression = """\
    ROW_STORAGE != "registers" || THREADS_PER_ROW * ROWS_PER_BLOCK * (ceil_div(ceil_div(COLUMNS, VECTOR * \
    CLUSTER), THREADS_PER_ROW) * VECTOR * (WEIGHT_LOAD == "on_use" ? 1 : 1 + (operation == "layernorm" ? 2 : 1) * \
    sizeof(dtype) / 4.0) + 28) <= device_registers_per_sm""" },
  { reason = """\
    a thread loads its part of the row in at least two rounds of VECTORS_PER_THREAD vectors""", expression = """\
    ROW_STORAGE == "registers" || COLUMNS >= 2 * THREADS_PER_ROW * CLUSTER * VECTOR * VECTORS_PER_THREAD || \
    VECTORS_PER_THREAD == 1""" },
  { reason = "a long row is shared by many threads", expression = """\
    ROW_STORAGE == "registers" || COLUMNS <= 1024 * THREADS_PER_ROW * CLUSTER || THREADS_PER_ROW >= 256""" },
  { reason = "a thread has at most 32 elements in flight", expression = """\
    ROW_STORAGE == "registers" || VECTORS_PER_THREAD * VECTOR <= 32""" },
  { reason = "the rows fit into shared memory", expression = """\
    ROW_STORAGE != "shared" || STAGES * ROWS_PER_BLOCK * THREADS_PER_ROW * VECTOR * VECTORS_PER_THREAD * \
    ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW * VECTORS_PER_THREAD) * sizeof(dtype) <= \
    device_shared_bytes_per_block_optin - 1024 - ROWS_PER_BLOCK * THREADS_PER_ROW * CLUSTER / 2""" },
  { reason = "asynchronous copies go to shared memory and have 4, 8 or 16 bytes", expression = """\
    LOAD != "cp_async" || ROW_STORAGE == "shared" && VECTOR * sizeof(dtype) >= 4""" },
  { reason = "asynchronous copies need compute capability 8.0", expression = """\
    LOAD != "cp_async" || device_compute_capability >= 80""" },
  { reason = "a row that is loaded again should stay in the caches", expression = """\
    ROW_STORAGE != "global" || LOAD == "plain"""" },
  { reason = "all persistent blocks must be resident at once", expression = """\
    BLOCKS_PER_SM * THREADS_PER_ROW * ROWS_PER_BLOCK <= device_max_threads_per_sm""" },
  { reason = """\
    MIN_THREADS_PER_SM is a whole number of blocks: at most 16, which every GPU supports, and at least \
    BLOCKS_PER_SM""", expression = """\
    MIN_THREADS_PER_SM == 0 || MIN_THREADS_PER_SM <= device_max_threads_per_sm && MIN_THREADS_PER_SM % \
    (THREADS_PER_ROW * ROWS_PER_BLOCK) == 0 && MIN_THREADS_PER_SM <= 16 * THREADS_PER_ROW * ROWS_PER_BLOCK && \
    MIN_THREADS_PER_SM >= BLOCKS_PER_SM * THREADS_PER_ROW * ROWS_PER_BLOCK""" },
  { reason = "an SM with so many threads has enough registers for a thread's part of the row", expression = """\
    MIN_THREADS_PER_SM == 0 || (ROW_STORAGE == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), \
    THREADS_PER_ROW) : VECTORS_PER_THREAD) * VECTOR * (WEIGHT_LOAD == "on_use" ? 1 : 1 + (operation == "layernorm" \
    ? 2 : 1) * sizeof(dtype) / 4.0) + 20 <= device_registers_per_sm / MIN_THREADS_PER_SM""" },
]

[default]
THREADS_PER_ROW = 256
ROWS_PER_BLOCK = 1
VECTOR = 1
ROW_STORAGE = "global"
VECTORS_PER_THREAD = 1
REDUCTION = "two_pass"
CLUSTER = 1
BLOCKS_PER_SM = 0
MIN_THREADS_PER_SM = 0
LOAD = "plain"
STAGES = 1
STORE = "plain"
WEIGHT_LOAD = "on_use"

[launch]
grid = ["""\
  CLUSTER * (BLOCKS_PER_SM == 0 ? ceil_div(ROWS, ROWS_PER_BLOCK) : min(ceil_div(ROWS, ROWS_PER_BLOCK), max(1, \
  BLOCKS_PER_SM * device_sm_count / CLUSTER)))"""]
block = ["THREADS_PER_ROW * ROWS_PER_BLOCK"]
cluster = ["CLUSTER"]
shared_bytes = """\
  ROW_STORAGE == "shared" ? STAGES * ROWS_PER_BLOCK * THREADS_PER_ROW * VECTOR * VECTORS_PER_THREAD * \
  ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW * VECTORS_PER_THREAD) * sizeof(dtype) : 0"""

# The range is -1 to 3, so that the mean matters.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = -1.0, high = 3.0, seed = 1 }

[[argument]]
name = "gamma"
kind = "in"
type = "dtype"
count = "COLUMNS"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 2 }

# rmsnorm does not read it.
[[argument]]
name = "beta"
kind = "in"
type = "dtype"
count = 'operation == "layernorm" ? COLUMNS : 1'
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "out"
kind = "out"
type = "dtype"
count = "ROWS * COLUMNS"

[[argument]]
name = "rows"
kind = "scalar"
type = "i64"
value = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

[[argument]]
name = "epsilon"
kind = "scalar"
type = "f32"
value = "1e-5"

# Let u = 2^-24. Elements lie in [-1, 3]. A sum is a chain of at most COLUMNS / 8 additions whose roundings behave like
# a random walk. So mean and variance have errors of about sqrt(COLUMNS / 8) u relative to the magnitudes of the sums:
# 181 u for 262144 columns. In long rows the variance is 4/3, and the difference to the first element is at most 4. Sums
# of squares of up to 16 per element then cancel to 4/3, which enlarges their error at most 12 times. In short rows the
# variance may be small, and normalised values are at most sqrt(COLUMNS - 1). The rounding of the mean, u, is divided by
# the root of the variance: with 2 columns that differ by 0.01 this is 200 u. Rows of closer values are rare but do
# occur among thousands of short rows. There epsilon keeps the divisor above 0.003, which is 316 u for each of three
# roundings of magnitude 3. 1e-4 (1678 u) covers both cases. The result, of magnitude below 6 in long rows, is rounded
# to its type by 2^-11 (f16) or 2^-8 (bf16) of itself. The tolerance is twice that.
[check]
reference = "entry"
entry = "row_norm_reference"
grid = ["ROWS"]
block = ["256"]
absolute = 1e-4
relative = '6e-8 * (100 + sqrt(COLUMNS)) + (dtype == "f16" ? 0.00098 : dtype == "bf16" ? 0.0079 : 0)'

# Per element: two sums, or one of squares; a subtraction, a product, and gamma and beta.
[work]
flops = '(operation == "layernorm" ? 7 : 4) * ROWS * COLUMNS'
bytes = '(2 * ROWS + (operation == "layernorm" ? 2 : 1)) * COLUMNS * sizeof(dtype)'
*/
#include "row_kernel.cuh"

struct NormSlice : RowSlice {
  const dtype* gamma;  // of the slice's first column
  const dtype* beta;
  Element
      fill;  // stands for elements past the end: the row's first element where differences to it are added, else 0
};

// Sums over the row: of both components, or of `y` alone.
template <bool both>
__device__ __forceinline__ float2 sums_of_row(float2 own, RowExchange& exchange) {
  const Sum<float> sum;
  own = {both ? warp_all_reduce<kRowLanes>(own.x, sum) : 0.0f, warp_all_reduce<kRowLanes>(own.y, sum)};
#if THREADS_PER_ROW > 32
  exchange.put(own);
  own = {0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < kSlotsPerLane; ++i) {
    const float2 other = exchange.get(i);
    own.x += other.x;
    own.y += other.y;
  }
  exchange.end();
  own = {both ? warp_all_reduce<kSlotLanes>(own.x, sum) : 0.0f, warp_all_reduce<kSlotLanes>(own.y, sum)};
#endif
  return own;
}

// Reads a batch of a thread's share of `source`, of which slice.count vectors or elements exist; others are `fill`.
template <LoadHint hint, bool in_place = false, class Source>
__device__ __forceinline__ void read(Pack (&packs)[VECTORS], const Source* source, const NormSlice& slice,
                                     int batch, Element fill) {
#pragma unroll
  for (int i = 0; i < kBatch; ++i) packs[i / VECTOR].item[i % VECTOR] = fill;
  if (slice.vectorized) {
    const Word* words = reinterpret_cast<const Word*>(source);
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      const int place = slice.place(batch, i * VECTOR);
      if (place < slice.count) packs[i].word = load_input<hint, in_place>(words + place);
    }
  } else {
    const Element* elements = reinterpret_cast<const Element*>(source);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int place = slice.place(batch, i);
      if (place < slice.count)
        packs[i / VECTOR].item[i % VECTOR] = load_input<hint, in_place>(elements + place);
    }
  }
}

__device__ __forceinline__ void load_batch(Pack (&packs)[VECTORS], const NormSlice& slice, int batch) {
  read<LoadHint::LOAD_HINT>(packs, slice.in, slice, batch, slice.fill);
}

#if ROW_IN_SHARED
__device__ __forceinline__ void copy_batch(Word* kept, const NormSlice& slice, int batch) {
  Pack packs[VECTORS];
  load_batch(packs, slice, batch);
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) kept[slice.place(batch, i * VECTOR)] = packs[i].word;
}
#endif

__device__ __forceinline__ Element normalized(Element element, Element gamma, Element beta, float mean,
                                              float factor) {
#if IS_LAYERNORM
  return to_element(fmaf((to_float(element) - mean) * factor, to_float(gamma), to_float(beta)));
#else
  return to_element(to_float(element) * factor * to_float(gamma));
#endif
}

#if WEIGHTS_IN_REGISTERS
__device__ __forceinline__ void write(const Pack (&packs)[VECTORS], const NormSlice& slice, int batch) {
  if (slice.vectorized) {
    Word* words = reinterpret_cast<Word*>(slice.out);
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      const int place = slice.place(batch, i * VECTOR);
      if (place < slice.count) store_word<StoreHint::STORE>(words + place, packs[i].word);
    }
  } else {
    Element* elements = reinterpret_cast<Element*>(slice.out);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int place = slice.place(batch, i);
      if (place < slice.count)
        store_word<StoreHint::STORE>(elements + place, packs[i / VECTOR].item[i % VECTOR]);
    }
  }
}

// gamma and beta of a batch.
struct Weights {
  Pack gamma[VECTORS];
#if IS_LAYERNORM
  Pack beta[VECTORS];
#endif
  __device__ __forceinline__ Weights() {}
  __device__ __forceinline__ void read_batch(const NormSlice& slice, int batch) {
    read<LoadHint::read_only>(gamma, slice.gamma, slice, batch, Element());
#if IS_LAYERNORM
    read<LoadHint::read_only>(beta, slice.beta, slice, batch, Element());
#endif
  }
};

__device__ __forceinline__ void normalize(Pack (&packs)[VECTORS], const NormSlice& slice, int batch,
                                          const Weights& weights, float mean, float factor) {
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    Element beta = Element();
#if IS_LAYERNORM
    beta = weights.beta[i / VECTOR].item[i % VECTOR];
#endif
    Element& element = packs[i / VECTOR].item[i % VECTOR];
    element = normalized(element, weights.gamma[i / VECTOR].item[i % VECTOR], beta, mean, factor);
  }
  write(packs, slice, batch);
}
#else
// Vector by vector, or element by element, with gamma and beta loaded where they are used: loads that the compiler
// moves up to those of the row would take registers beside it.
__device__ __forceinline__ void normalize(Pack (&packs)[VECTORS], const NormSlice& slice, int batch,
                                          float mean, float factor) {
  if (slice.vectorized) {
    const int last = slice.count > 0 ? slice.count - 1 : 0;  // a load too many costs less than a branch
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      const int place = slice.place(batch, i * VECTOR);
      const int existing = place < last ? place : last;
      Pack gamma, beta;
      gamma.word =
          load_word<LoadHint::read_only_fixed>(reinterpret_cast<const Word*>(slice.gamma) + existing);
#if IS_LAYERNORM
      beta.word = load_word<LoadHint::read_only_fixed>(reinterpret_cast<const Word*>(slice.beta) + existing);
#else
      beta.word = Word();
#endif
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) {
        packs[i].item[j] = normalized(packs[i].item[j], gamma.item[j], beta.item[j], mean, factor);
      }
      if (place < slice.count) {
        store_word<StoreHint::STORE>(reinterpret_cast<Word*>(slice.out) + place, packs[i].word);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int place = slice.place(batch, i);
      if (place >= slice.count) continue;
      const Element gamma = __ldg(reinterpret_cast<const Element*>(slice.gamma) + place);
      Element beta = Element();
#if IS_LAYERNORM
      beta = __ldg(reinterpret_cast<const Element*>(slice.beta) + place);
#endif
      store_word<StoreHint::STORE>(reinterpret_cast<Element*>(slice.out) + place,
                                   normalized(packs[i / VECTOR].item[i % VECTOR], gamma, beta, mean, factor));
    }
  }
}
#endif

// Adds a batch's differences to `shift` to sums.x, and their squares to sums.y. Elements that do not exist add nothing:
// without `checked` they equal `shift`.
template <bool checked>
__device__ __forceinline__ void add(float2& sums, const Pack (&packs)[VECTORS], const NormSlice& slice,
                                    int batch, float shift) {
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const float value = to_float(packs[i / VECTOR].item[i % VECTOR]);
    const float difference = !checked || slice.place(batch, i) < slice.count ? value - shift : 0.0f;
    sums.x += difference;
    sums.y = fmaf(difference, difference, sums.y);
  }
}

// A row as its passes see it: batches that are in registers, in shared memory or in global memory.
struct Row {
  const NormSlice& slice;
  const Word* kept;
  int batches;
  Pack packs[VECTORS];

  __device__ __forceinline__ Row(const NormSlice& of, const Word* copy) : slice(of), kept(copy) {
#if ROW_IN_REGISTERS
    batches = 1;
    load_batch(packs, slice, 0);
#else
    batches = slice.batches();
#endif
  }
  __device__ __forceinline__ void take(int batch) {
#if ROW_IN_SHARED
    read<LoadHint::plain, true>(packs, kept, slice, batch, slice.fill);
#elif !ROW_IN_REGISTERS
    load_batch(packs, slice, batch);
#endif
  }
};

template <bool checked>
__device__ __forceinline__ float2 own_sums(Row& row, float shift) {
  float2 sums = {0.0f, 0.0f};
  for (int batch = 0; batch < row.batches; ++batch) {
    row.take(batch);
    add<checked>(sums, row.packs, row.slice, batch, shift);
  }
  return sums;
}

// Mean and variance of a row; for rmsnorm the mean of squares in place of the variance.
struct Moments {
  float mean, variance;
};

__device__ __forceinline__ Moments moments_of(Row& row, float weight, RowExchange& exchange) {
#if !IS_LAYERNORM
  return {0.0f, sums_of_row<false>(own_sums<false>(row, 0.0f), exchange).y * weight};
#elif SINGLE_PASS
  const float first = to_float(row.slice.fill);
  const float2 sums = sums_of_row<true>(own_sums<false>(row, first), exchange);
  const float of_differences = sums.x * weight;
  return {first + of_differences, fmaxf(sums.y * weight - of_differences * of_differences, 0.0f)};
#else
  const float2 plain = own_sums<false>(row, 0.0f);
  const float mean = sums_of_row<false>({0.0f, plain.x}, exchange).y * weight;
  return {mean, sums_of_row<false>(own_sums<true>(row, mean), exchange).y * weight};
#endif
}

// What a thread keeps from row to row.
struct RowNorm {
  RowExchange& exchange;
  float weight, epsilon;  // `weight` is that of an element in a mean
#if WEIGHTS_IN_REGISTERS
  Weights& weights;
#endif
};

__device__ __forceinline__ void process_row(const NormSlice& slice, const Word* kept, RowNorm& norm) {
  Row row(slice, kept);
#if WEIGHTS_WITH_ROW
  norm.weights.read_batch(slice, 0);
#endif
  const Moments moments = moments_of(row, norm.weight, norm.exchange);
  const float factor = rsqrtf(moments.variance + norm.epsilon);
  for (int batch = 0; batch < row.batches; ++batch) {
    row.take(batch);
#if WEIGHTS_IN_REGISTERS
    normalize(row.packs, slice, batch, norm.weights, moments.mean, factor);
#else
    normalize(row.packs, slice, batch, moments.mean, factor);
#endif
  }
}

__global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    row_norm(const dtype* __restrict__ in, const dtype* __restrict__ gamma, const dtype* __restrict__ beta,
             dtype* __restrict__ out, long long rows, int columns, float epsilon) {
  const int thread = static_cast<int>(threadIdx.x);
  const int row_of_block = thread / THREADS_PER_ROW;
  const int rank = static_cast<int>(blockIdx.x % CLUSTER);
#if THREADS_PER_ROW > 32
  __shared__ float2 slots[2 * ROWS_PER_BLOCK * kSlots];
  RowExchange exchange = {slots + row_of_block * 2 * kSlots, rank, 0};
#else
  RowExchange exchange;
#endif
#if CLUSTER > 1
  cluster_sync();  // the shared memory of the other blocks exists once they have started
#endif

  size_t addresses =
      reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out) | reinterpret_cast<size_t>(gamma);
#if IS_LAYERNORM
  addresses |= reinterpret_cast<size_t>(beta);
#endif
  const bool vectorized = columns % VECTOR == 0 && addresses % sizeof(Word) == 0;
  const int units = vectorized ? columns / VECTOR : columns;
  const int share = (units + CLUSTER - 1) / CLUSTER;  // vectors or elements of a block
  const int left = units - rank * share;  // those from this block's first one to the end of the row
  const int first_column = left > 0 ? rank * share * (vectorized ? VECTOR : 1) : 0;
  const float weight = 1.0f / static_cast<float>(columns);  // of an element in a mean
  const auto slice_of = [&](long long first_row) {
    const long long row = first_row + row_of_block;
    const long long at = row * columns + first_column;
    NormSlice slice = {{in + at, out + at, 0, vectorized, thread % THREADS_PER_ROW},
                       gamma + first_column,
                       beta + first_column,
                       Element()};
    if (row < rows && left > 0) slice.count = left < share ? left : share;
#if IS_LAYERNORM && SINGLE_PASS
    if (row < rows) slice.fill = reinterpret_cast<const Element*>(in)[row * columns];
#endif
    return slice;
  };
#if WEIGHTS_IN_REGISTERS
  Weights weights;
#endif
#if WEIGHTS_PER_BLOCK
  NormSlice all = slice_of(0);
  all.count = left < share ? left : share;  // also where row 0 is past the end
  weights.read_batch(all, 0);
#endif

#if WEIGHTS_IN_REGISTERS
  RowNorm norm = {exchange, weight, epsilon, weights};
#else
  RowNorm norm = {exchange, weight, epsilon};
#endif
  for_each_row(rows, columns, row_of_block, slice_of, norm);
}

#ifdef WARPTUNE_REFERENCE
// A block of 256 threads a row, in double.
__global__ void row_norm_reference(const dtype* in, const dtype* gamma, const dtype* beta, dtype* out,
                                   long long, int columns, float epsilon) {
  __shared__ double values[256];
  const Element* from = reinterpret_cast<const Element*>(in) + static_cast<long long>(blockIdx.x) * columns;
  Element* to = reinterpret_cast<Element*>(out) + static_cast<long long>(blockIdx.x) * columns;
  const int thread = static_cast<int>(threadIdx.x);
  double mean = 0.0;
#if IS_LAYERNORM
  for (int i = thread; i < columns; i += 256) mean += static_cast<double>(to_float(from[i]));
  mean = join_reference_block(mean, values, Sum<double>()) / columns;
#endif
  double squares = 0.0;
  for (int i = thread; i < columns; i += 256) {
    const double deviation = static_cast<double>(to_float(from[i])) - mean;
    squares += deviation * deviation;
  }
  squares = join_reference_block(squares, values, Sum<double>());
  const double factor = 1.0 / sqrt(squares / columns + static_cast<double>(epsilon));
  for (int i = thread; i < columns; i += 256) {
    double value = (static_cast<double>(to_float(from[i])) - mean) * factor *
                   static_cast<double>(to_float(reinterpret_cast<const Element*>(gamma)[i]));
#if IS_LAYERNORM
    value += static_cast<double>(to_float(reinterpret_cast<const Element*>(beta)[i]));
#endif
    to[i] = to_element(static_cast<float>(value));
  }
}
#endif
