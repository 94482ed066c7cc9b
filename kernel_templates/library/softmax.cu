/* warptune
[kernel]
name = "softmax"
description = "out = exp(in - max) / sum(exp(in - max)), row by row"
about = """
The softmax of every row of a row-major matrix, in f32, f16 or bf16, computed in single precision. It is stable: a row's
maximum is subtracted before the exponential is taken. Rows may have any length.

The threads that share a row combine their maxima and sums by shuffles, through shared memory and through distributed
shared memory. There are THREADS_PER_ROW of them in a block, or in each block of a cluster. ROW_STORAGE chooses where a
row is kept between the times it is read: in registers, in shared memory, or nowhere. In the last case it is loaded
again. The length of a row in registers must be known at compile time, so such a kernel is compiled for one number of
columns.

With REDUCTION = `two_pass` threads exchange the maximum first, and then the sum of exponentials. With `online`, each
thread computes its sum relative to its own maximum. The sums are rescaled when they are combined, so that maximum and
sum are exchanged together.

The kernel is limited by memory: 2 * ROWS * COLUMNS elements have to move. A short row needs a warp or less. A row of
more than 16384 elements needs a cluster, or is loaded again from the caches. If a row's length is not a multiple of
VECTOR, or a matrix is not aligned, elements are accessed one by one.
"""
vendor = "cudnnSoftmaxForward with CUDNN_SOFTMAX_ACCURATE"
entry = "softmax"
recommended = "softmax.recommended.toml"

[kernel.defines]
VECTORS = """\
  ROW_STORAGE == "registers" ? ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW) : VECTORS_PER_THREAD"""
IS_F16 = 'dtype == "f16"'
IS_BF16 = 'dtype == "bf16"'
ROW_IN_REGISTERS = 'ROW_STORAGE == "registers"'
ROW_IN_SHARED = 'ROW_STORAGE == "shared"'
ONLINE = 'REDUCTION == "online"'
LOAD_CP_ASYNC = 'LOAD == "cp_async"'
LOAD_HINT = 'LOAD == "cp_async" ? "plain" : LOAD'
EXPONENTIAL_INTRINSIC = 'EXPONENTIAL == "expf_intrinsic"'
EXPONENTIAL_EX2 = 'EXPONENTIAL == "ex2_approx"'
PERSISTENT = "BLOCKS_PER_SM > 0"
MIN_BLOCKS = "max(1, MIN_THREADS_PER_SM / (THREADS_PER_ROW * ROWS_PER_BLOCK))"

[problem]
ROWS = { value = 16384, description = "rows of the matrix" }
COLUMNS = { value = 4096, description = "elements of a row" }
dtype = { value = "f32", description = "type of the matrices" }

[problem_values]
dtype = ["f32", "f16", "bf16"]

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
REDUCTION.values = ["online", "two_pass"]
REDUCTION.description = """\
  how threads combine their values; online: maximum and sum at once; two_pass: first the maximum, then the sum"""
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
EXPONENTIAL.values = ["expf", "expf_intrinsic", "ex2_approx"]
EXPONENTIAL.description = """\
  how exponentials are computed: expf, the intrinsic __expf, or ex2.approx with the factor log2(e) folded into the \
  subtraction"""

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
  { reason = "at most 64 registers hold a thread's part of the row", expression = """\
    ROW_STORAGE != "registers" || ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW) * VECTOR <= 64""" },
  { reason = "the rows of a block fit into the registers", expression = """\
    ROW_STORAGE != "registers" || THREADS_PER_ROW * ROWS_PER_BLOCK * (ceil_div(ceil_div(COLUMNS, VECTOR * \
    CLUSTER), THREADS_PER_ROW) * VECTOR + 28) <= device_registers_per_sm""" },
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
    THREADS_PER_ROW) : VECTORS_PER_THREAD) * VECTOR + 20 <= device_registers_per_sm / MIN_THREADS_PER_SM""" },
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
EXPONENTIAL = "expf"

[launch]
grid = ["""\
  CLUSTER * (BLOCKS_PER_SM == 0 ? ceil_div(ROWS, ROWS_PER_BLOCK) : min(ceil_div(ROWS, ROWS_PER_BLOCK), max(1, \
  BLOCKS_PER_SM * device_sm_count / CLUSTER)))"""]
block = ["THREADS_PER_ROW * ROWS_PER_BLOCK"]
cluster = ["CLUSTER"]
shared_bytes = """\
  ROW_STORAGE == "shared" ? STAGES * ROWS_PER_BLOCK * THREADS_PER_ROW * VECTOR * VECTORS_PER_THREAD * \
  ceil_div(ceil_div(COLUMNS, VECTOR * CLUSTER), THREADS_PER_ROW * VECTORS_PER_THREAD) * sizeof(dtype) : 0"""

# The range is -8 to 8. Without subtracting the maximum a sum would still be finite, but weights span seven powers of
# ten.
[[argument]]
name = "in"
kind = "in"
type = "dtype"
count = "ROWS * COLUMNS"
init = { kind = "uniform", low = -8.0, high = 8.0, seed = 1 }

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

# Let u = 2^-24 and |x| <= 8. The argument of an exponential is at most 16, or 24 to the base 2. It is rounded twice: by
# the product with log2(e) and by the subtraction. This is an error of 24 * 2 u in base 2, or 33 u in the result. The
# exponential itself adds 2 u, and the rescaling of partial sums adds as much as these two together. The exponents of a
# row's rescalings add up to 24 at most, and the factor is exactly 1 where the maximum stays. The total is 70 u. All
# terms of a sum are positive. So its relative error is at most the error of its terms plus u for each addition of the
# longest chain. That chain has at most COLUMNS / 8 terms, whose roundings behave like a random walk: sqrt(COLUMNS / 8)
# u, which is 181 u for 262144 columns. 200 + sqrt(COLUMNS) covers both. The result is rounded to its type by at most
# half a unit in the last place. This is 2^-11 in f16, 2^-8 in bf16, and 2^-25 absolute where f16 has no normal numbers.
# The tolerance is twice that, because the error before may change the direction of that rounding.
[check]
reference = "entry"
entry = "softmax_reference"
grid = ["ROWS"]
block = ["256"]
absolute = 'dtype == "f16" ? 6e-8 : 0'
relative = '6e-8 * (200 + sqrt(COLUMNS)) + (dtype == "f16" ? 0.00098 : dtype == "bf16" ? 0.0079 : 0)'

# Per element: a subtraction, an exponential, an addition and a product.
[work]
flops = "4 * ROWS * COLUMNS"
bytes = "2 * ROWS * COLUMNS * sizeof(dtype)"
*/
#include "row_kernel.cuh"

#if EXPONENTIAL_EX2
constexpr float kLog2E = 1.4426950408889634f;

__device__ __forceinline__ float power_of_two(float exponent) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(exponent));
  return result;
#else
  return exp2f(exponent);
#endif
}
#endif

__device__ __forceinline__ float minus_infinity() { return Extremes<float>::lowest(); }

// What `exponential` subtracts for a maximum. A thread, or a row, of nothing but minus infinity has no maximum to
// subtract.
__device__ __forceinline__ float shift_of(float maximum) {
  const float finite = maximum == minus_infinity() ? 0.0f : maximum;
#if EXPONENTIAL_EX2
  return finite * kLog2E;
#else
  return finite;
#endif
}

__device__ __forceinline__ float exponential(float value, float shift) {
#if EXPONENTIAL_EX2
  return power_of_two(fmaf(value, kLog2E, -shift));
#elif EXPONENTIAL_INTRINSIC && defined(__CUDA_ARCH__)
  return __expf(value - shift);
#else
  return expf(value - shift);
#endif
}

// The factor that turns a sum of exponentials against the maximum `from` into one against `to`. It is exactly 1 where
// the two are equal: a thread rescales its sum with every batch, and a factor that is off by one rounding would be
// raised to the power of the number of batches.
__device__ __forceinline__ float rescaling(float from, float to) {
#if EXPONENTIAL_EX2
  return power_of_two((from - (to == minus_infinity() ? 0.0f : to)) * kLog2E);
#else
  return exponential(from, shift_of(to));
#endif
}

__device__ __forceinline__ float max_of_row(float own, RowExchange& exchange) {
  own = warp_all_reduce<kRowLanes>(own, Maximum<float>());
#if THREADS_PER_ROW > 32
  exchange.put({own, 0.0f});
#pragma unroll
  for (int i = 0; i < kSlotsPerLane; ++i) own = fmaxf(own, exchange.get(i).x);
  exchange.end();
  own = warp_all_reduce<kSlotLanes>(own, Maximum<float>());
#endif
  return own;
}

__device__ __forceinline__ float sum_of_row(float own, RowExchange& exchange) {
  own = warp_all_reduce<kRowLanes>(own, Sum<float>());
#if THREADS_PER_ROW > 32
  exchange.put({own, 0.0f});
  own = 0.0f;
#pragma unroll
  for (int i = 0; i < kSlotsPerLane; ++i) own += exchange.get(i).x;
  exchange.end();
  own = warp_all_reduce<kSlotLanes>(own, Sum<float>());
#endif
  return own;
}

// The maximum of a part of a row, and the sum of exponentials against it.
struct Partial {
  float maximum, sum;
};

template <int lanes>
__device__ __forceinline__ Partial join_lanes(Partial own) {
  const float maximum = warp_all_reduce<lanes>(own.maximum, Maximum<float>());
  return {maximum, warp_all_reduce<lanes>(own.sum * rescaling(own.maximum, maximum), Sum<float>())};
}

__device__ __forceinline__ Partial join_row(Partial own, RowExchange& exchange) {
  own = join_lanes<kRowLanes>(own);
#if THREADS_PER_ROW > 32
  exchange.put({own.maximum, own.sum});
  float2 others[kSlotsPerLane];
  own.maximum = minus_infinity();
#pragma unroll
  for (int i = 0; i < kSlotsPerLane; ++i) {
    others[i] = exchange.get(i);
    own.maximum = fmaxf(own.maximum, others[i].x);
  }
  own.sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kSlotsPerLane; ++i) own.sum += others[i].y * rescaling(others[i].x, own.maximum);
  exchange.end();
  own = join_lanes<kSlotLanes>(own);
#endif
  return own;
}

// Reads a batch of a thread's share of the slice itself, or of `kept`, its copy in shared memory. What lies outside is
// minus infinity.
template <bool from_kept>
__device__ __forceinline__ void read(float (&values)[kBatch], const RowSlice& slice, const Word* kept,
                                     int batch) {
  if (slice.vectorized) {
    const Word* words = from_kept ? kept : reinterpret_cast<const Word*>(slice.in);
    const Element outside = to_element(minus_infinity());
    Pack packs[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      const int place = slice.place(batch, i * VECTOR);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) packs[i].item[j] = outside;
      if (place < slice.count)
        packs[i].word = from_kept ? words[place] : load_input<LoadHint::LOAD_HINT>(words + place);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) values[i] = to_float(packs[i / VECTOR].item[i % VECTOR]);
  } else {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int place = slice.place(batch, i);
      values[i] = minus_infinity();
      if (place < slice.count) {
        values[i] = to_float(
            from_kept ? reinterpret_cast<const Element*>(kept)[place]
                      : load_input<LoadHint::LOAD_HINT>(reinterpret_cast<const Element*>(slice.in) + place));
      }
    }
  }
}

__device__ __forceinline__ void write(const float (&values)[kBatch], const RowSlice& slice, int batch) {
  if (slice.vectorized) {
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
      Pack pack;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) pack.item[j] = to_element(values[i * VECTOR + j]);
      const int place = slice.place(batch, i * VECTOR);
      if (place < slice.count)
        store_word<StoreHint::STORE>(reinterpret_cast<Word*>(slice.out) + place, pack.word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int place = slice.place(batch, i);
      if (place < slice.count)
        store_word<StoreHint::STORE>(reinterpret_cast<Element*>(slice.out) + place, to_element(values[i]));
    }
  }
}

#if ROW_IN_SHARED
__device__ __forceinline__ void copy_batch(Word* kept, const RowSlice& slice, int batch) {
  Word words[VECTORS];  // those outside of the slice are copied as they are: nobody reads them
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const int place = slice.place(batch, i * VECTOR);
    if (place < slice.count)
      words[i] = load_input<LoadHint::LOAD_HINT>(reinterpret_cast<const Word*>(slice.in) + place);
  }
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) kept[slice.place(batch, i * VECTOR)] = words[i];
}
#endif

#if ROW_IN_REGISTERS
__device__ __forceinline__ void process_row(const RowSlice& slice, const Word* kept, RowExchange& exchange) {
  float values[kBatch];
  read<false>(values, slice, kept, 0);
  float maximum = values[0];
#pragma unroll
  for (int i = 1; i < kBatch; ++i) maximum = fmaxf(maximum, values[i]);
#if !ONLINE
  maximum = max_of_row(maximum, exchange);
#endif
  const float shift = shift_of(maximum);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    values[i] = exponential(values[i], shift);
    sum += values[i];
  }
#if ONLINE
  const Partial row = join_row({maximum, sum}, exchange);
  const float factor = rescaling(maximum, row.maximum) * (1.0f / row.sum);
#else
  const float factor = 1.0f / sum_of_row(sum, exchange);
#endif
#pragma unroll
  for (int i = 0; i < kBatch; ++i) values[i] *= factor;
  write(values, slice, 0);
}
#else
// The maximum of a row and the sum of exponentials against it.
__device__ __forceinline__ Partial partial_of_row(const RowSlice& slice, const Word* kept, int batches,
                                                  RowExchange& exchange) {
  float values[kBatch];
  Partial row = {minus_infinity(), 0.0f};
#if ONLINE
  for (int batch = 0; batch < batches; ++batch) {
    read<ROW_IN_SHARED>(values, slice, kept, batch);
    float maximum = row.maximum;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) maximum = fmaxf(maximum, values[i]);
    const float shift = shift_of(maximum);
    row.sum *= rescaling(row.maximum, maximum);
    row.maximum = maximum;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) row.sum += exponential(values[i], shift);
  }
  return join_row(row, exchange);
#else
  for (int batch = 0; batch < batches; ++batch) {
    read<ROW_IN_SHARED>(values, slice, kept, batch);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) row.maximum = fmaxf(row.maximum, values[i]);
  }
  row.maximum = max_of_row(row.maximum, exchange);
  const float shift = shift_of(row.maximum);
  for (int batch = 0; batch < batches; ++batch) {
    read<ROW_IN_SHARED>(values, slice, kept, batch);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) row.sum += exponential(values[i], shift);
  }
  row.sum = sum_of_row(row.sum, exchange);
  return row;
#endif
}

__device__ __forceinline__ void process_row(const RowSlice& slice, const Word* kept, RowExchange& exchange) {
  const int batches = slice.batches();
  const Partial row = partial_of_row(slice, kept, batches, exchange);
  const float shift = shift_of(row.maximum);
  const float factor = 1.0f / row.sum;
  float values[kBatch];
  for (int batch = 0; batch < batches; ++batch) {
    read<ROW_IN_SHARED>(values, slice, kept, batch);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) values[i] = exponential(values[i], shift) * factor;
    write(values, slice, batch);
  }
}
#endif

__global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    softmax(const dtype* __restrict__ in, dtype* __restrict__ out, long long rows, int columns) {
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

  const bool vectorized = columns % VECTOR == 0 &&
                          (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % sizeof(Word) == 0;
  const int units = vectorized ? columns / VECTOR : columns;
  const int share = (units + CLUSTER - 1) / CLUSTER;  // vectors or elements of a block
  const int left = units - rank * share;  // those from this block's first one to the end of the row
  const auto slice_of = [&](long long first_row) {
    const long long row = first_row + row_of_block;
    const long long at = row * columns + rank * share * (vectorized ? VECTOR : 1);
    RowSlice slice = {in + at, out + at, 0, vectorized, thread % THREADS_PER_ROW};
    if (row < rows && left > 0) slice.count = left < share ? left : share;
    return slice;
  };
  for_each_row(rows, columns, row_of_block, slice_of, exchange);
}

#ifdef WARPTUNE_REFERENCE
// A block of 256 threads a row, in double.
__global__ void softmax_reference(const dtype* in, dtype* out, long long, int columns) {
  __shared__ double values[256];
  const Element* from = reinterpret_cast<const Element*>(in) + static_cast<long long>(blockIdx.x) * columns;
  Element* to = reinterpret_cast<Element*>(out) + static_cast<long long>(blockIdx.x) * columns;
  const int thread = static_cast<int>(threadIdx.x);
  double maximum = -1e300;
  for (int i = thread; i < columns; i += 256) maximum = fmax(maximum, static_cast<double>(to_float(from[i])));
  maximum = join_reference_block(maximum, values, Maximum<double>());
  double sum = 0.0;
  for (int i = thread; i < columns; i += 256) sum += exp(static_cast<double>(to_float(from[i])) - maximum);
  sum = join_reference_block(sum, values, Sum<double>());
  for (int i = thread; i < columns; i += 256) {
    to[i] = to_element(static_cast<float>(exp(static_cast<double>(to_float(from[i])) - maximum) / sum));
  }
}
#endif
