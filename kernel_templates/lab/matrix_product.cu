/* warptune
[kernel]
name = "matrix_product"
entry = "naive"
defines = { SERPENTINE = 'ORDER == "serpentine"' }
description = "C = A B in single precision by nine kernels, from one element per thread to asynchronous copies"
about = """
The kernels compute `C = A B` in single precision, row-major, with whole tiles of 128 x 128. Each variant changes one
thing:

- `naive`: a thread computes one element and reads a row of A and a column of B from global memory.
- `tiled`: a block of 32 x 32 threads copies tiles of 32 x 32 of A and B to shared memory, so that each element is read
  from there 32 times.
- `transposed`: the tile of A is transposed in shared memory, so that a thread's rows are neighbours. The later variants
  need that. The lanes of a warp store a column, so all 32 store to one bank.
- `padded`: the same with one column more, so that the lanes store to 32 banks.
- `vector`: a thread computes four neighbouring elements of C, with 128-bit loads and stores.
- `registers`: a thread computes 8 x 8 elements, and a block 128 x 128. 16 values from shared memory serve 64
  multiply-adds.
- `double`: there are two tiles in shared memory. While one is multiplied, the next one is loaded through registers. One
  barrier per tile is enough.
- `async_transposed`: `cp.async` fills a ring of three tiles, bypassing registers. It copies but does not transpose. So
  A's tile is copied element by element, with four bytes per copy.
- `async`: the same with 128-bit copies. A's tile is stored by rows, and a thread reads two columns of its rows at a
  time.

The register file has two banks. A multiply-add of three registers takes a second cycle where two of them are in the
same bank, unless the multiply-add before it read the same register as the same operand. ORDER and BLOCKS_PER_SM change
how often that happens in the last four variants. BLOCKS_PER_SM leaves the compiler more registers or fewer.
"""

[problem]
M = { value = 2048, description = "rows of A and C, a multiple of 128" }
N = { value = 2048, description = "columns of B and C, a multiple of 128" }
K = { value = 2048, description = "columns of A, rows of B, a multiple of 32" }

[parameters]
ORDER.values = ["rows", "serpentine"]
ORDER.when = 'VARIANT == "registers" || VARIANT == "double" || VARIANT == "async_transposed" || VARIANT == "async"'
ORDER.description = """\
  order of the multiply-adds of a step: row by row, or serpentine, so that each needs only one new operand"""
BLOCKS_PER_SM.values = [1, 2]
BLOCKS_PER_SM.when = """\
  VARIANT == "registers" || VARIANT == "double" || VARIANT == "async_transposed" || VARIANT == "async"\
  """
BLOCKS_PER_SM.description = """\
  blocks that an SM must be able to hold; 1 allows 255 registers per thread, and 2 allows 128"""

[constraints]
list = [
  { expression = "M % 128 == 0 && N % 128 == 0 && K % 32 == 0", reason = """\
    the code only handles whole tiles, which keeps it short""" },
  { expression = 'VARIANT != "async" && VARIANT != "async_transposed" || device_compute_capability >= 80', reason = """\
    cp.async exists from compute capability 8.0""" },
]

[default]
VARIANT = "naive"
ORDER = "rows"
BLOCKS_PER_SM = 1

[launch]
grid = [
  'VARIANT == "naive" || VARIANT == "tiled" || VARIANT == "transposed" || VARIANT == "padded" ? N / 32 : N / 128',
  """\
    VARIANT == "naive" || VARIANT == "tiled" || VARIANT == "transposed" || VARIANT == "padded" || VARIANT == "vector" \
    ? M / 32 : M / 128""",
]
block = [
  'VARIANT == "registers" || VARIANT == "double" || VARIANT == "async_transposed" || VARIANT == "async" ? 256 : 1024',
]
shared_bytes = """\
  VARIANT == "async_transposed" ? 3 * 4 * 16 * (132 + 128) : VARIANT == "async" ? 3 * 4 * (128 * 20 + 16 * 128) : 0"""

[[variant]]
name = "naive"
entry = "naive"
[[variant]]
name = "tiled"
entry = "tiled"
[[variant]]
name = "transposed"
entry = "transposed"
[[variant]]
name = "padded"
entry = "padded"
[[variant]]
name = "vector"
entry = "vector"
[[variant]]
name = "registers"
entry = "register_tiles"
[[variant]]
name = "double"
entry = "double_buffered"
[[variant]]
name = "async_transposed"
entry = "asynchronous_transposed"
[[variant]]
name = "async"
entry = "asynchronous"

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "M * K"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "K * N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "M * N"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[[argument]]
name = "k"
kind = "scalar"
type = "i32"
value = "K"

# An element is a sum of K products of variance 1/9, added in order. The largest error of 4 million elements at K = 2048
# was 8.4e-8 K with the shipped `sgemm`. 3e-7 K leaves a factor of three. A missing product (0.25 on average) is still
# detected. The reference adds in double.
[check]
reference = "entry"
entry = "matrix_product_reference"
grid = ["N / 32", "M / 8"]
block = ["32", "8"]
absolute = "3e-7 * (K + 16)"
relative = 1e-6

[work]
flops = "2 * M * N * K"
bytes = "4 * (M * K + K * N + M * N)"
*/

__global__ void __launch_bounds__(1024)
    naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
  const int row = blockIdx.y * 32 + threadIdx.x / 32;
  const int column = blockIdx.x * 32 + threadIdx.x % 32;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__global__ void __launch_bounds__(1024)
    tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
  __shared__ float a_tile[32][32];
  __shared__ float b_tile[32][32];
  const int y = threadIdx.x / 32;
  const int x = threadIdx.x % 32;
  const int row = blockIdx.y * 32 + y;
  const int column = blockIdx.x * 32 + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += 32) {
    a_tile[y][x] = a[row * k + first + x];
    b_tile[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <int pitch>
__device__ __forceinline__ void multiply_transposed(const float* __restrict__ a, const float* __restrict__ b,
                                                    float* __restrict__ c, int n, int k) {
  __shared__ float a_tile[32][pitch];  // by columns of A
  __shared__ float b_tile[32][32];
  const int y = threadIdx.x / 32;
  const int x = threadIdx.x % 32;
  const int row = blockIdx.y * 32 + y;
  const int column = blockIdx.x * 32 + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += 32) {
    a_tile[x][y] = a[row * k + first + x];
    b_tile[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += a_tile[i][y] * b_tile[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void __launch_bounds__(1024) transposed(const float* __restrict__ a, const float* __restrict__ b,
                                                   float* __restrict__ c, int n, int k) {
  multiply_transposed<32>(a, b, c, n, k);
}

__global__ void __launch_bounds__(1024)
    padded(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
  multiply_transposed<33>(a, b, c, n, k);
}

__device__ __forceinline__ float4 load_4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ __forceinline__ void store_4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

// 32 rows of 128 columns a block.
__global__ void __launch_bounds__(1024)
    vector(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
  __shared__ __align__(16) float a_tile[32][33];  // by columns of A
  __shared__ __align__(16) float b_tile[32][128];
  const int y = threadIdx.x / 32;
  const int x = threadIdx.x % 32;
  const int row = blockIdx.y * 32;
  const int column = blockIdx.x * 128;
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < k; first += 32) {
    if (threadIdx.x < 256) {  // eight words a row
      const int a_row = threadIdx.x / 8;
      const int a_column = threadIdx.x % 8 * 4;
      const float4 word = load_4(a + (row + a_row) * k + first + a_column);
      a_tile[a_column][a_row] = word.x;
      a_tile[a_column + 1][a_row] = word.y;
      a_tile[a_column + 2][a_row] = word.z;
      a_tile[a_column + 3][a_row] = word.w;
    }
    store_4(&b_tile[y][x * 4], load_4(b + (first + y) * n + column + x * 4));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const float of_a = a_tile[i][y];
      const float4 of_b = load_4(&b_tile[i][x * 4]);
      sum.x += of_a * of_b.x;
      sum.y += of_a * of_b.y;
      sum.z += of_a * of_b.z;
      sum.w += of_a * of_b.w;
    }
    __syncthreads();
  }
  store_4(c + (row + y) * n + column + x * 4, sum);
}

// From here on 256 threads compute 128 x 128 elements, each thread 8 x 8: four neighbouring rows and columns,
// and the four that are 64 further on.
constexpr int kStep = 16;     // columns of A at a time
constexpr int kPitchA = 132;  // four more than 128: vectors stay aligned, and columns start in other banks
constexpr int kStageA = kStep * kPitchA;
constexpr int kStage = kStageA + kStep * 128;  // elements: A's tile, transposed, then B's

// The q-th column that a thread's row p takes.
__device__ __forceinline__ constexpr int column_of(int p, int q) {
  return SERPENTINE && p % 2 == 1 ? 7 - q : q;
}

struct Sums {
  float of[8][8] = {};

  __device__ __forceinline__ void add_products(const float* stage) {
    const int y = threadIdx.x / 16 * 4;
    const int x = threadIdx.x % 16 * 4;
#pragma unroll
    for (int i = 0; i < kStep; ++i) {
      float of_a[8], of_b[8];
      store_4(of_a, load_4(stage + i * kPitchA + y));
      store_4(of_a + 4, load_4(stage + i * kPitchA + 64 + y));
      store_4(of_b, load_4(stage + kStageA + i * 128 + x));
      store_4(of_b + 4, load_4(stage + kStageA + i * 128 + 64 + x));
#pragma unroll
      for (int p = 0; p < 8; ++p) {
#pragma unroll
        for (int q = 0; q < 8; ++q) of[p][column_of(p, q)] += of_a[p] * of_b[column_of(p, q)];
      }
    }
  }

  __device__ __forceinline__ void write(float* c, int n) const {
    const int y = blockIdx.y * 128 + threadIdx.x / 16 * 4;
    const int x = blockIdx.x * 128 + threadIdx.x % 16 * 4;
#pragma unroll
    for (int p = 0; p < 8; ++p) {
      float* row = c + (y + p / 4 * 64 + p % 4) * n + x;
      store_4(row, {of[p][0], of[p][1], of[p][2], of[p][3]});
      store_4(row + 64, {of[p][4], of[p][5], of[p][6], of[p][7]});
    }
  }
};

// A thread's share of two tiles on their way: two words of each.
struct Words {
  float4 a[2], b[2];

  __device__ __forceinline__ void load(const float* a_tile, const float* b_tile, int n, int k) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int index = threadIdx.x + i * 256;
      a[i] = load_4(a_tile + index / 4 * k + index % 4 * 4);
      b[i] = load_4(b_tile + index / 32 * n + index % 32 * 4);
    }
  }

  __device__ __forceinline__ void store(float* stage) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int index = threadIdx.x + i * 256;
      float* to = stage + index % 4 * 4 * kPitchA + index / 4;
      to[0] = a[i].x;
      to[kPitchA] = a[i].y;
      to[2 * kPitchA] = a[i].z;
      to[3 * kPitchA] = a[i].w;
      store_4(stage + kStageA + index * 4, b[i]);
    }
  }
};

__global__ void __launch_bounds__(256, BLOCKS_PER_SM)
    register_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                   int k) {
  __shared__ __align__(16) float stage[kStage];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128;
  Sums sums;
  Words words;
#pragma unroll 1
  for (int first = 0; first < k; first += kStep) {
    words.load(a + first, b + first * n, n, k);
    words.store(stage);
    __syncthreads();
    sums.add_products(stage);
    __syncthreads();
  }
  sums.write(c, n);
}

__global__ void __launch_bounds__(256, BLOCKS_PER_SM)
    double_buffered(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                    int k) {
  __shared__ __align__(16) float stages[2][kStage];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128;
  Sums sums;
  Words words;
  words.load(a, b, n, k);
  words.store(stages[0]);
  __syncthreads();
  int current = 0;
#pragma unroll 1
  for (int next = kStep; next < k; next += kStep) {
    words.load(a + next, b + next * n, n, k);
    sums.add_products(stages[current]);
    current ^= 1;
    words.store(stages[current]);
    __syncthreads();
  }
  sums.add_products(stages[current]);
  sums.write(c, n);
}

__device__ __forceinline__ void copy_async_4(float* to, const float* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
#else
  *to = *from;
#endif
}

__device__ __forceinline__ void copy_async_16(float* to, const float* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
  store_4(to, load_4(from));
#endif
}

__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_all_copies_but_one() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

// A's tile is transposed on the way, so its elements are copied one by one.
__device__ __forceinline__ void begin_copies(float* stage, const float* a_tile, const float* b_tile, int n,
                                             int k) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int index = threadIdx.x + i * 256;
    copy_async_4(stage + index % kStep * kPitchA + index / kStep, a_tile + index / kStep * k + index % kStep);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int index = threadIdx.x + i * 256;
    copy_async_16(stage + kStageA + index * 4, b_tile + index / 32 * n + index % 32 * 4);
  }
}

__global__ void __launch_bounds__(256, BLOCKS_PER_SM)
    asynchronous_transposed(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            int n, int k) {
  extern __shared__ __align__(16) float ring[];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128;
  Sums sums;
  begin_copies(ring, a, b, n, k);
  commit_copies();
  begin_copies(ring + kStage, a + kStep, b + kStep * n, n, k);
  commit_copies();
  int current = 0;
#pragma unroll 1
  for (int first = 0; first < k; first += kStep) {
    wait_for_all_copies_but_one();
    __syncthreads();  // the tile is there for all threads, and all are done with the one before, which is filled next
    const int next = first + 2 * kStep;
    const int place = current == 0 ? 2 : current - 1;
    if (next < k) begin_copies(ring + place * kStage, a + next, b + next * n, n, k);
    commit_copies();
    sums.add_products(ring + current * kStage);
    current = current == 2 ? 0 : current + 1;
  }
  sums.write(c, n);
}

// A's tile by rows, 20 elements apart: vectors stay aligned, and neighbouring rows lie in different banks. A
// thread has rows that are 16 apart.
constexpr int kPitchRows = kStep + 4;
constexpr int kStageRows = 128 * kPitchRows + kStep * 128;

__device__ __forceinline__ void begin_vector_copies(float* stage, const float* a_tile, const float* b_tile,
                                                    int n, int k) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int index = threadIdx.x + i * 256;
    copy_async_16(stage + index / 4 * kPitchRows + index % 4 * 4, a_tile + index / 4 * k + index % 4 * 4);
    copy_async_16(stage + 128 * kPitchRows + index * 4, b_tile + index / 32 * n + index % 32 * 4);
  }
}

__global__ void __launch_bounds__(256, BLOCKS_PER_SM)
    asynchronous(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                 int k) {
  extern __shared__ __align__(16) float ring[];
  a += blockIdx.y * 128 * k;
  b += blockIdx.x * 128;
  const int y = threadIdx.x / 16;
  const int x = threadIdx.x % 16 * 4;
  float sums[8][8] = {};
  begin_vector_copies(ring, a, b, n, k);
  commit_copies();
  a += kStep;
  b += kStep * n;
  begin_vector_copies(ring + kStageRows, a, b, n, k);
  commit_copies();
  int current = 0;
#pragma unroll 1
  for (int first = 0; first < k; first += kStep) {
    wait_for_all_copies_but_one();
    __syncthreads();
    a += kStep;
    b += kStep * n;
    if (first + 2 * kStep < k)
      begin_vector_copies(ring + (current == 0 ? 2 : current - 1) * kStageRows, a, b, n, k);
    commit_copies();
    const float* a_rows = ring + current * kStageRows + y * kPitchRows;
    const float* b_tile = ring + current * kStageRows + 128 * kPitchRows + x;
#pragma unroll
    for (int i = 0; i < kStep; i += 2) {
      float2 of_a[8];  // two steps, which registers have room for
#pragma unroll
      for (int p = 0; p < 8; ++p)
        of_a[p] = *reinterpret_cast<const float2*>(a_rows + p * 16 * kPitchRows + i);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float of_b[8];
        store_4(of_b, load_4(b_tile + (i + j) * 128));
        store_4(of_b + 4, load_4(b_tile + (i + j) * 128 + 64));
#pragma unroll
        for (int p = 0; p < 8; ++p) {
#pragma unroll
          for (int q = 0; q < 8; ++q) {
            sums[p][column_of(p, q)] += (j == 0 ? of_a[p].x : of_a[p].y) * of_b[column_of(p, q)];
          }
        }
      }
    }
    current = current == 2 ? 0 : current + 1;
  }
#pragma unroll
  for (int p = 0; p < 8; ++p) {
    float* row = c + (blockIdx.y * 128 + y + p * 16) * n + blockIdx.x * 128 + x;
    store_4(row, {sums[p][0], sums[p][1], sums[p][2], sums[p][3]});
    store_4(row + 64, {sums[p][4], sums[p][5], sums[p][6], sums[p][7]});
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void matrix_product_reference(const float* a, const float* b, float* c, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  double sum = 0.0;
  for (int i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * b[i * n + column];
  c[row * n + column] = static_cast<float>(sum);
}
#endif
