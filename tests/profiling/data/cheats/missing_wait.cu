__global__ void produce(const float* __restrict__ a, float* __restrict__ middle, float*, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    middle[i] = expf(a[i]);
}

// From the last element to the first.
__global__ void consume(const float*, const float* __restrict__ middle, float* __restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = 1.0f / (1.0f + middle[n - 1 - i]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(1.0 / (1.0 + exp(static_cast<double>(a[n - 1 - i]))));
}
#endif
