// The kernels of captured_kernels.cu, without its host code, so that NVRTC can compile them.
// scripts/gpu-survey-capture makes definitions from captured launches of them.
#include <cooperative_groups.h>

struct Vectors {
  int count;
  float factor;
  const float* from;
  float* to;
};

__constant__ float weights[4];
__device__ float bias[2];

__global__ void copy(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void increment(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

__global__ void weigh(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] * weights[i % 4] + bias[i % 2];
}

__global__ void scaled(Vectors vectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < vectors.count) vectors.to[i] = vectors.from[i] * vectors.factor;
}

// Real and imaginary parts alternate.
__global__ void woven(const float* from, const float* bias, float* real, float* imaginary, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float value = from[i] + (bias == nullptr ? 0.0f : bias[i]);
  real[2 * i] = value;
  imaginary[2 * i] = -value;
}

__global__ void summed(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
  cooperative_groups::this_grid().sync();
  if (i == 0) to[0] = to[1] + to[2];
}

__global__ void sampled(cudaTextureObject_t texture, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = tex1Dfetch<float>(texture, i);
}

// 32 x 32 threads; each block computes a tile of 32 x 32. The tiles are in dynamic shared memory.
__global__ void tiles(const float* a, const float* b, float* c, int n) {
  extern __shared__ float shared[];
  float* const left = shared;
  float* const right = shared + 32 * 32;
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int tile = 0; tile < n; tile += 32) {
    left[threadIdx.y * 32 + threadIdx.x] = a[row * n + tile + threadIdx.x];
    right[threadIdx.y * 32 + threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += left[threadIdx.y * 32 + k] * right[k * 32 + threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
