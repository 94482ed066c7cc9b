/* warptune
[kernel]
name = "deviations"
description = "writes one bit pattern everywhere; the GPU's clock says which of two element 1234 gets"
entry = "deviations"

[problem]
N = 4099
dtype = "u64"
PATTERN = 64
OTHER = 65

[parameters]
BY_CLOCK = [0, 1]
DECLARED = [0, 1]

[default]
BY_CLOCK = 0
DECLARED = 0

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

[[argument]]
name = "c"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "element_bytes"
kind = "scalar"
type = "i32"
value = "sizeof(dtype)"

[[argument]]
name = "pattern"
kind = "scalar"
type = "i64"
value = "PATTERN"

[[argument]]
name = "other"
kind = "scalar"
type = "i64"
value = "OTHER"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "entry"
entry = "deviations_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 4
nondeterministic = "DECLARED == 1"
*/

__device__ void store(void* c, int element_bytes, long long i, long long bits) {
  if (element_bytes == 1) static_cast<char*>(c)[i] = (char)bits;
  if (element_bytes == 2) static_cast<short*>(c)[i] = (short)bits;
  if (element_bytes == 4) static_cast<int*>(c)[i] = (int)bits;
  if (element_bytes == 8) static_cast<long long*>(c)[i] = bits;
}

extern "C" __global__ void deviations(void* c, int element_bytes, long long pattern, long long other,
                                      long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool by_clock = BY_CLOCK && i == 1234 && clock64() / 64 % 2 == 1;
  store(c, element_bytes, i, by_clock ? other : pattern);
}

extern "C" __global__ void deviations_reference(void* c, int element_bytes, long long pattern, long long,
                                                long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) store(c, element_bytes, i, pattern);
}
