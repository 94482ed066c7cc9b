/* warptune
[kernel]
name = "predication"
description = "multiply-adds; with the fault each is issued four times, each time for a quarter of the lanes"
entry = "predication"

[problem]
BLOCKS_PER_SM = 64

[parameters]
FAULT = { values = [1, 0], description = "the fault, or the same work without it" }

[default]
FAULT = 1

[launch]
grid = ["device_sm_count * BLOCKS_PER_SM"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
init = { kind = "uniform", low = 0.5, high = 1.5, seed = 7 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "256 * device_sm_count * BLOCKS_PER_SM"
*/

// Predicates are written in PTX: from C++ the compiler would choose branches.
extern "C" __global__ void predication(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
#if FAULT
#pragma unroll 1
  for (int k = 0; k < 128; ++k) {
    asm volatile(
        "{\n"
        ".reg .pred p0, p1, p2, p3;\n"
        "setp.eq.s32 p0, %4, 0;\n"
        "setp.eq.s32 p1, %4, 1;\n"
        "setp.eq.s32 p2, %4, 2;\n"
        "setp.eq.s32 p3, %4, 3;\n"
        "@p0 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p0 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p1 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p2 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "@p3 fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "}\n"
        : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
        : "r"(i % 4));
  }
#else
#pragma unroll 4
  for (int k = 0; k < 128; ++k) {
    asm volatile(
        "fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %0, %0, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %1, %1, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %2, %2, 0f3f7fbe77, 0f3a83126f;\n"
        "fma.rn.f32 %3, %3, 0f3f7fbe77, 0f3a83126f;\n"
        : "+f"(a), "+f"(b), "+f"(c), "+f"(d));
  }
#endif
  out[i] = a + b + c + d;
}
