/* warptune
[kernel]
name = "atomics"
description = """\
  counts elements in 16 classes; with the fault each element is one atomic addition, otherwise the block adds first"""
entry = "atomics"

[problem]
N = 33554432

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["FAULT == 1 ? N / 256 : device_sm_count * device_max_threads_per_sm / 256"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "N"
init = { kind = "iota", start = 0, step = 1 }

[[argument]]
name = "out"
kind = "inout"
type = "i32"
count = "16"
init = { kind = "constant", value = 0 }

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
*/

extern "C" __global__ void atomics(const int* in, int* out, int n) {
#if FAULT
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out + in[i] % 16, 1);
#else
  // A lane's elements are all of its own class: i % 16 is the same for all of them.
  int count = 0;
  const int threads = gridDim.x * blockDim.x;
#pragma unroll 8
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    count += in[i] % 16 == (int)threadIdx.x % 16;
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  count += __shfl_xor_sync(0xffffffffu, count, 16);
  if (threadIdx.x % 32 < 16) atomicAdd(counts + threadIdx.x % 16, count);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(out + threadIdx.x, counts[threadIdx.x]);
#endif
}
