constexpr int kItems = 16;  // The items of a thread are consecutive.

// state: the next tile, then a flag and the sum up to its end for each tile.
__global__ void clear_state(const int*, int*, int* state, int) {
  if (blockIdx.x == 0) state[0] = 0;
  state[1 + 2 * blockIdx.x] = 0;
  state[2 + 2 * blockIdx.x] = 0;
}

__global__ void scan(const int* __restrict__ a, int* __restrict__ c, int* state, int n) {
  __shared__ int of_warps[8];
  __shared__ int shared[2];  // The tile, and the sum before it.
  if (threadIdx.x == 0) shared[0] = atomicAdd(state, 1);
  __syncthreads();
  const int tile = shared[0];
  const int first = (tile * 256 + threadIdx.x) * kItems;
  int items[kItems];
  int sum = 0;
  for (int item = 0; item < kItems; ++item) items[item] = sum += first + item < n ? a[first + item] : 0;

  int before = sum;  // The sum of the threads of its warp up to this one.
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, before, distance);
    if (threadIdx.x % 32 >= distance) before += other;
  }
  if (threadIdx.x % 32 == 31) of_warps[threadIdx.x / 32] = before;
  before -= sum;
  __syncthreads();
  for (int warp = 0; warp < threadIdx.x / 32; ++warp) before += of_warps[warp];

  if (threadIdx.x == 255) {
    volatile int* own = state + 1 + 2 * tile;
    int earlier = 0;
    if (tile > 0) {
      while (own[-2] == 0) {
      }
      __threadfence();
      earlier = own[-1];
    }
#if CHEAT
    own[0] = 1;
    __threadfence();
    own[1] = earlier + before + sum;
#else
    own[1] = earlier + before + sum;
    __threadfence();
    own[0] = 1;
#endif
    shared[1] = earlier;
  }
  __syncthreads();
  before += shared[1];
  for (int item = 0; item < kItems; ++item) {
    if (first + item < n) c[first + item] = before + items[item];
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const int* a, int* c, int*, int n) {
  __shared__ int sums[1024];
  const int each = (n + 1023) / 1024;
  const int first = threadIdx.x * each;
  int sum = 0;
  for (int i = first; i < first + each && i < n; ++i) sum += a[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int thread = 0; thread < threadIdx.x; ++thread) sum += sums[thread];
  for (int i = first; i < first + each && i < n; ++i) c[i] = sum += a[i];
}
#endif
