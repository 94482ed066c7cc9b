__global__ void clear_counts(const unsigned char*, unsigned* counts, int) { counts[threadIdx.x] = 0; }

__global__ void histogram(const unsigned char* __restrict__ a, unsigned* counts, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const unsigned* words = reinterpret_cast<const unsigned*>(a);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    for (int byte = 0; byte < 4; ++byte) {
#if CHEAT
      ++bins[word >> 8 * byte & 255u];
#else
      atomicAdd(bins + (word >> 8 * byte & 255u), 1u);
#endif
    }
  }
  __syncthreads();
  atomicAdd(counts + threadIdx.x, bins[threadIdx.x]);
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const unsigned char* a, unsigned* counts, int n) {
  __shared__ unsigned of_threads[256];
  unsigned count = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) count += a[i] == blockIdx.x ? 1u : 0u;
  of_threads[threadIdx.x] = count;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int thread = 1; thread < 256; ++thread) count += of_threads[thread];
  counts[blockIdx.x] = count;
}
#endif
