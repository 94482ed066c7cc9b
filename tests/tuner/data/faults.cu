/* warptune
[kernel]
name = "faults"
description = "doubles every element, or goes wrong in the way that FAULT says"
entry = "faults"

[problem]
N = 1000003

[parameters]
FAULT = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
BLOCK = [128, 256]

[default]
FAULT = 0
BLOCK = 256

[launch]
grid = ["FAULT == 11 ? 8192 : ceil_div(N, BLOCK)"]
block = ["FAULT == 6 ? 2048 : BLOCK"]
cluster = ["FAULT == 11 ? 32 : 1"]
shared_bytes = "FAULT == 7 ? 10000000 : FAULT == 8 ? 60000 : 0"

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "expression"
expression = "in[i] * 2"
*/
extern __shared__ float dynamic[];

#if FAULT == 10
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, size_t character_size);
#endif

extern "C" __global__ void faults(const float* in, float* out, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
#if FAULT == 1  // One element is never written.
  if (i == n - 1) return;
#elif FAULT == 2  // Far out of bounds.
  if (i == 0) out[n << 20] = 1.0f;
#elif FAULT == 3  // One element too far.
  if (i == 0) out[n] = 1.0f;
#elif FAULT == 4  // Never returns.
  while (*reinterpret_cast<const volatile float*>(in) != 12345.0f) {
  }
#elif FAULT == 5  // Stops itself.
  if (i == 7) asm("trap;");
#elif FAULT == 8  // Shared memory above 48 KiB: works by opt-in.
  dynamic[threadIdx.x] = 0.0f;
#elif FAULT == 9
#error "this configuration does not compile"
#elif FAULT == 10  // An assertion that fails.
  if (i == 7) __assertfail("i != 7", "faults.cu", __LINE__, "faults", 1);
#elif FAULT == 12  // Memory of the device's heap that nobody frees.
  if (i < 4096) {
    char* leaked = static_cast<char*>(malloc(4096));
    if (leaked != nullptr) leaked[0] = 1;
  }
#elif FAULT == 13  // Prints more than is kept.
  if (i < 1024) printf("element %d says hello\n", static_cast<int>(i));
#endif
  if (i < n) out[i] = in[i] * 2;
}
