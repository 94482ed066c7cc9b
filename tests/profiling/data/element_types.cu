/* warptune
[kernel]
name = "element_types"
description = "writes one bit pattern everywhere and another into element 1234; the reference writes the first alone"
entry = "element_types"

[problem]
N = 4099
dtype = "u64"
PATTERN = 0
ODD_ONE = 0

[parameters]
BLOCK = [256]

[default]
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

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
name = "odd_one"
kind = "scalar"
type = "i64"
value = "ODD_ONE"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "entry"
entry = "element_types_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
*/

__device__ void store(void* c, int element_bytes, long long i, long long bits) {
  if (element_bytes == 1) static_cast<char*>(c)[i] = (char)bits;
  if (element_bytes == 2) static_cast<short*>(c)[i] = (short)bits;
  if (element_bytes == 4) static_cast<int*>(c)[i] = (int)bits;
  if (element_bytes == 8) static_cast<long long*>(c)[i] = bits;
}

extern "C" __global__ void element_types(void* c, int element_bytes, long long pattern, long long odd_one,
                                         long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) store(c, element_bytes, i, i == 1234 ? odd_one : pattern);
}

extern "C" __global__ void element_types_reference(void* c, int element_bytes, long long pattern, long long,
                                                   long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) store(c, element_bytes, i, pattern);
}
