/* warptune
[kernel]
name = "caught_warp_tail"
description = "sums of blocks; the textbook leaves out the barriers of the last warp, as was right before Volta"
entry = "block_sums"

[problem]
N = { value = 4194304, description = "elements" }

[parameters]
TEXTBOOK = { values = [true, false], description = "the last six steps without a barrier, or with one" }

[constraints]
list = [{ expression = "N % 256 == 0", reason = "all blocks are full" }]

[default]
TEXTBOOK = true

[launch]
grid = ["N / 256"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "sums"
kind = "out"
type = "f32"
count = "N / 256"

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

[check]
reference = "entry"
entry = "block_sums_reference"
grid = ["ceil_div(N / 256, 256)"]
block = ["256"]
absolute = 0.0
relative = 1e-5

[work]
bytes = "4 * N"
*/

extern "C" __global__ void block_sums(const float* in, float* sums, int) {
  __shared__ float parts[256];
  const int lane = threadIdx.x;
  parts[lane] = in[blockIdx.x * 256 + lane];
  __syncthreads();
  for (int width = 128; width > 32; width /= 2) {
    if (lane < width) parts[lane] += parts[lane + width];
    __syncthreads();
  }
#if TEXTBOOK
  // Threads of a warp need not run in step. Between two statements, the compiler may also keep a value in a register.
  if (lane < 32) {
    parts[lane] += parts[lane + 32];
    parts[lane] += parts[lane + 16];
    parts[lane] += parts[lane + 8];
    parts[lane] += parts[lane + 4];
    parts[lane] += parts[lane + 2];
    parts[lane] += parts[lane + 1];
  }
#else
  if (lane < 32) {
    float sum = parts[lane] + parts[lane + 32];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) parts[0] = sum;
  }
#endif
  if (lane == 0) sums[blockIdx.x] = parts[0];
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void block_sums_reference(const float* in, float* sums, int n) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= n / 256) return;
  double sum = 0.0;
  for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
  sums[block] = static_cast<float>(sum);
}
#endif
