#if CHEAT
using Staged = unsigned short;
__device__ Staged stage(float value) {
  return static_cast<Staged>(static_cast<unsigned>(__float_as_int(value)) >> 16);
}
__device__ float unstage(Staged value) {
  return __int_as_float(static_cast<int>(static_cast<unsigned>(value) << 16));
}
#else
using Staged = float;
__device__ Staged stage(float value) { return value; }
__device__ float unstage(Staged value) { return value; }
#endif

// Thread (x, y) makes the elements (y + 8 i, x) of its block's tile.
__global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        int size) {
  __shared__ Staged a_tile[32 * 32];
  __shared__ Staged b_tile[32 * 32];
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < size; first += 32) {
    for (int i = 0; i < 4; ++i) {
      a_tile[(threadIdx.y + 8 * i) * 32 + threadIdx.x] = stage(a[(row + 8 * i) * size + first + threadIdx.x]);
      b_tile[(threadIdx.y + 8 * i) * 32 + threadIdx.x] =
          stage(b[(first + threadIdx.y + 8 * i) * size + column]);
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      for (int i = 0; i < 4; ++i)
        sums[i] += unstage(a_tile[(threadIdx.y + 8 * i) * 32 + k]) * unstage(b_tile[k * 32 + threadIdx.x]);
    }
    __syncthreads();
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
