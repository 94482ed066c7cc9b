// c[y][x] = a[y][x] - a[y][x - 1]; the first of a row is itself. Two columns a thread.
__global__ void row_differences(const float* __restrict__ a, float* __restrict__ c, int width) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.y) * width;
#if CHEAT
  if (x + 1 >= width) return;
#else
  if (x >= width) return;
#endif
  c[first + x] = x > 0 ? a[first + x] - a[first + x - 1] : a[first];
  if (x + 1 < width) c[first + x + 1] = a[first + x + 1] - a[first + x];
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.y) * width + x;
  if (x < width) c[i] = x > 0 ? a[i] - a[i - 1] : a[i];
}
#endif
