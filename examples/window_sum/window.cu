// Sliding sums: out[i] = in[i] + ... + in[i + width - 1]. The author of this kernel did not know warptune. Its
// parameters are macros, and each has a default.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
#ifndef ITEMS_PER_THREAD
#define ITEMS_PER_THREAD 1
#endif
#ifndef USE_SHARED
#define USE_SHARED 1
#endif
#ifndef RUNNING_SUM
#define RUNNING_SUM 0
#endif

constexpr int kTile = BLOCK_SIZE * ITEMS_PER_THREAD;

__global__ void window_sum(const float* in, float* out, int count, int width) {
  const int first = blockIdx.x * kTile;
#if USE_SHARED
  extern __shared__ float values[];
  for (int i = threadIdx.x; i < kTile + width - 1; i += BLOCK_SIZE) {
    values[i] = first + i < count + width - 1 ? in[first + i] : 0.0f;
  }
  __syncthreads();
#else
  const float* values = in + first;
#endif

#if RUNNING_SUM
  // Each thread computes neighbouring elements. The next sum is the last one plus one value minus another.
  float sum = 0.0f;
  for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
    const int i = threadIdx.x * ITEMS_PER_THREAD + item;
    if (first + i >= count) break;
    if (item == 0) {
      for (int j = 0; j < width; ++j) sum += values[i + j];
    } else {
      sum += values[i + width - 1] - values[i - 1];
    }
    out[first + i] = sum;
  }
#else
  for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
    const int i = item * BLOCK_SIZE + threadIdx.x;
    if (first + i >= count) break;
    float sum = 0.0f;
    for (int j = 0; j < width; ++j) sum += values[i + j];
    out[first + i] = sum;
  }
#endif
}
