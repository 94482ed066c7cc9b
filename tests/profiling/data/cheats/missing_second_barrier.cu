// Thread (x, y) makes the elements (y + 8 i, x) of its block's tile.
__global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        int size) {
  __shared__ float a_tile[32 * 32];
  __shared__ float b_tile[32 * 32];
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  float next_a[4], next_b[4];
  for (int i = 0; i < 4; ++i) {
    next_a[i] = a[(row + 8 * i) * size + threadIdx.x];
    next_b[i] = b[(threadIdx.y + 8 * i) * size + column];
  }
  for (int first = 0; first < size; first += 32) {
    for (int i = 0; i < 4; ++i) {
      a_tile[(threadIdx.y + 8 * i) * 32 + threadIdx.x] = next_a[i];
      b_tile[(threadIdx.y + 8 * i) * 32 + threadIdx.x] = next_b[i];
    }
    __syncthreads();
    if (first + 32 < size) {
      for (int i = 0; i < 4; ++i) {
        next_a[i] = a[(row + 8 * i) * size + first + 32 + threadIdx.x];
        next_b[i] = b[(first + 32 + threadIdx.y + 8 * i) * size + column];
      }
    }
    for (int k = 0; k < 32; ++k) {
      for (int i = 0; i < 4; ++i)
        sums[i] += a_tile[(threadIdx.y + 8 * i) * 32 + k] * b_tile[k * 32 + threadIdx.x];
    }
#if !CHEAT
    __syncthreads();
#endif
  }
  for (int i = 0; i < 4; ++i) c[(row + 8 * i) * size + column] = sums[i];
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, const float* b, float* c, int size) {
  const int row = blockIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  double sum = 0.0;
  for (int k = 0; k < size; ++k) sum += static_cast<double>(a[row * size + k]) * b[k * size + column];
  c[row * size + column] = static_cast<float>(sum);
}
#endif
