/* warptune
[kernel]
name = "privatisation_histogram"
description = "counts of the 256 values of N bytes: by atomics on global memory, or on a histogram of each block"
about = """
With METHOD = global every byte is an atomic addition to one of 256 counters in global memory, which L2 carries out for
the whole GPU. With METHOD = shared every block has counters of its own in shared memory and adds them to the result at
its end. This is called privatisation. The number of blocks is fixed (8 per SM), so that few private histograms have to
be added.

SKEW is the distribution of the data. Values are 256 u^SKEW for uniform u in [0, 1). With 1, all values are equally
frequent. With 4, a quarter of all bytes have the value 0.
"""
entry = "privatisation_histogram"
defines = { IN_SHARED = 'METHOD == "shared"' }

[problem]
N = { value = 4194304, description = "bytes" }
SKEW = { value = 1, description = "exponent of the values' distribution; 1: uniform" }

[parameters]
METHOD = { values = ["global", "shared"], description = "where bytes are counted" }

[default]
METHOD = "global"

[launch]
grid = ["8 * device_sm_count"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "u8"
count = "N"
init = { kind = "expression", value = "floor(256 * pow(u, SKEW))", seed = 1 }

# The counters are 0 again before every launch.
[[argument]]
name = "counts"
kind = "inout"
type = "u32"
count = "256"
init = { kind = "constant", value = 0 }

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# Each block of the reference counts one value.
[check]
reference = "entry"
entry = "privatisation_histogram_reference"
grid = ["256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "0"
bytes = "N"
*/

__global__ void __launch_bounds__(256)
    privatisation_histogram(const unsigned char* __restrict__ in, unsigned* counts, int n) {
  const int step = static_cast<int>(gridDim.x) * 256;
#if IN_SHARED
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x); i < n; i += step) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
#else
  for (int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x); i < n; i += step)
    atomicAdd(&counts[in[i]], 1u);
#endif
}

#ifdef WARPTUNE_REFERENCE
__global__ void privatisation_histogram_reference(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned found[256];
  unsigned count = 0;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 256) count += in[i] == blockIdx.x ? 1 : 0;
  found[threadIdx.x] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 256; ++i) count += found[i];
    counts[blockIdx.x] = count;
  }
}
#endif
