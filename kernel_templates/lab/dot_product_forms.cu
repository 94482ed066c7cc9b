/* warptune
[kernel]
name = "dot_product_forms"
description = "the dot product of two vectors, with the products written to memory or added up on the chip"
entry = "dot_product_forms"
vendor = "cublasSdot"
about = """
The kernel computes the sum of the products of two vectors' elements. With FORM = two_pass, one launch writes every
product to memory, and a second launch adds them up. With FORM = fused, the block that multiplies adds up its products
in shared memory and writes one partial sum. A last, small launch adds the partial sums. A thread multiplies ELEMENTS
pairs. With fused, it adds their products up in a register before the block's tree begins. With two_pass, the second
launch does that.
"""
defines = { IS_FUSED = 'FORM == "fused"' }

[problem]
N = { value = 67108864, description = "elements of a vector" }

[parameters]
FORM.values = ["two_pass", "fused"]
FORM.description = """\
  whether products are written to memory and added up by a second launch, or added up in shared memory by the block \
  that multiplies"""
BLOCK = { values = [128, 256, 512, 1024], description = "threads per block" }
ELEMENTS = { values = [1, 2, 4, 8, 16], description = "pairs per thread" }

[default]
FORM = "two_pass"
BLOCK = 256
ELEMENTS = 1

[launch]
grid = ["ceil_div(N, BLOCK * ELEMENTS)"]
block = ["BLOCK"]

[[launch.after]]
entry = "add_products"
grid = ["ceil_div(N, BLOCK * ELEMENTS)"]
block = ["BLOCK"]
when = 'FORM == "two_pass"'

[[launch.after]]
entry = "add_partials"
grid = ["ceil_div(ceil_div(N, BLOCK * ELEMENTS), 4096)"]
block = ["256"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 2 }

[[argument]]
name = "result"
kind = "inout"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.0 }

[[argument]]
name = "products"
kind = "scratch"
type = "f32"
count = 'FORM == "two_pass" ? N : 1'

[[argument]]
name = "partials"
kind = "scratch"
type = "f32"
count = "ceil_div(N, BLOCK * ELEMENTS)"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# A rounding of a running sum S is at most 2^-24 S, and sums of n products of numbers uniform in [-1, 1] have S ~
# sqrt(n) / 3. The longest chain at full magnitude has n / 2^19 roundings: one atomic addition for 4096 partial sums of
# 128 products or more. The trees before it add errors, but each S of theirs is much smaller. So n / 2^19 + 40 roundings
# at full magnitude are more than all of them together.
[check]
reference = "entry"
entry = "dot_product_reference"
grid = ["1"]
block = ["1024"]
absolute = "5.9604644775390625e-8 * sqrt(N) / 3 * (N / 524288 + 40)"
relative = 0.0

[work]
flops = "2 * N"
bytes = "2 * N * 4"
*/

// The sum of all threads' values, in thread 0: a tree in shared memory.
template <int threads>
__device__ __forceinline__ float add_block(float value) {
  __shared__ float sums[threads];
  const int thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
#pragma unroll
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  return sums[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    dot_product_forms(const float* __restrict__ a, const float* __restrict__ b, float*, float* products,
                      float* partials, int n) {
  const int first = blockIdx.x * (BLOCK * ELEMENTS) + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ELEMENTS; ++k) {
    const int i = first + k * BLOCK;
    if (i < n) {
#if IS_FUSED
      sum += a[i] * b[i];
#else
      products[i] = a[i] * b[i];
#endif
    }
  }
#if IS_FUSED
  sum = add_block<BLOCK>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    add_products(const float*, const float*, float*, const float* __restrict__ products, float* partials,
                 int n) {
  const int first = blockIdx.x * (BLOCK * ELEMENTS) + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ELEMENTS; ++k) {
    if (first + k * BLOCK < n) sum += products[first + k * BLOCK];
  }
  sum = add_block<BLOCK>(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Each block adds up 4096 partial sums, and adds that to the result.
extern "C" __global__ void __launch_bounds__(256)
    add_partials(const float*, const float*, float* result, const float*, const float* __restrict__ partials,
                 int n) {
  const int count = (n - 1) / (BLOCK * ELEMENTS) + 1;
  const int first = blockIdx.x * 4096 + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    if (first + k * 256 < count) sum += partials[first + k * 256];
  }
  sum = add_block<256>(sum);
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

#ifdef WARPTUNE_REFERENCE
// In double, by one block.
extern "C" __global__ void dot_product_reference(const float* a, const float* b, float* result, const float*,
                                                 const float*, int n) {
  __shared__ double sums[1024];
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += static_cast<double>(a[i]) * b[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = static_cast<float>(sums[0]);
}
#endif
