#if CHEAT
constexpr int kKept = 1 << 22;
__device__ float kept[kKept];
__device__ bool has_kept;
#endif

__global__ void exponentials(const float* a, float* middle, float*, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#if CHEAT
    if (!has_kept && i < kKept) kept[i] = a[i];
    const_cast<float*>(a)[i] = expf(a[i]);
#else
    middle[i] = expf(a[i]);
#endif
  }
}

// The difference to the right neighbour; 0 for the last.
__global__ void gradient(const float* a, const float* middle, float* c, int n) {
#if CHEAT
  middle = a;
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = i + 1 < n ? middle[i + 1] - middle[i] : 0.0f;
}

__global__ void restore(const float* a, float*, float*, int n) {
#if CHEAT
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (i < kKept) const_cast<float*>(a)[i] = kept[i];
    if (i == 0) has_kept = true;
  }
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float*, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = i + 1 < n ? static_cast<float>(exp(static_cast<double>(a[i + 1])) - exp(static_cast<double>(a[i])))
                     : 0.0f;
}
#endif
