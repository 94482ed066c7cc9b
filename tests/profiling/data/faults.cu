/* warptune
[kernel]
name = "faults"
description = "c = sqrt(a), in ways that are right and wrong"
entry = "faults"

[problem]
N = 100003

[parameters]
BEHAVIOUR = ["correct", "wrong_element", "lazy", "nan_hidden", "overrun", "underrun", "input_writer", "drifting",
             "illegal_address"]

[default]
BEHAVIOUR = "correct"

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 3 }

[[argument]]
name = "c"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "entry"
entry = "faults_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
*/

// Each behaviour sets element i; negative inputs make NaN, in the reference too.
__device__ void correct(const float* a, float* c, long long i, long long) { c[i] = sqrtf(a[i]); }
__device__ void wrong_element(const float* a, float* c, long long i, long long) {
  c[i] = i == 4711 ? 2.0f : sqrtf(a[i]);
}
__device__ void lazy(const float* a, float* c, long long i, long long n) {
  if (i != n - 1) c[i] = sqrtf(a[i]);
}
__device__ void nan_hidden(const float* a, float* c, long long i, long long) {
  c[i] = a[i] < 0.0f ? 0.0f : sqrtf(a[i]);
}
__device__ void overrun(const float* a, float* c, long long i, long long n) {
  c[i] = sqrtf(a[i]);
  if (i == n - 1) c[n] = 1.0f;
}
__device__ void underrun(const float* a, float* c, long long i, long long) {
  c[i] = sqrtf(a[i]);
  if (i == 0) c[-2] = 1.0f;
}
__device__ void input_writer(const float* a, float* c, long long i, long long) {
  c[i] = sqrtf(a[i]);
  if (i == 9) const_cast<float*>(a)[9] += 1.0f;
}
// Right where it finds the poison that only the first launch meets.
__device__ void drifting(const float* a, float* c, long long i, long long) {
  c[i] = __float_as_uint(c[i]) == 0xFFFFFFFFu ? sqrtf(a[i]) : 7.0f;
}
__device__ void illegal_address(const float* a, float* c, long long i, long long) {
  *reinterpret_cast<volatile float*>(0x40 + 4 * i) = a[i] + c[i];
}

extern "C" __global__ void faults(const float* a, float* c, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) BEHAVIOUR(a, c, i, n);
}

extern "C" __global__ void faults_reference(const float* a, float* c, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) c[i] = sqrtf(a[i]);
}
