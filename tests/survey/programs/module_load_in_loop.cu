// Planted: each round loads a module of PTX, which the driver compiles, and unloads it. Clean: it is loaded
// once.
#include <cuda.h>

#include "program.cuh"

// Spins for a number of cycles.
static const char* const kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 cycles) {
  .reg .pred %more;
  .reg .b64 %begin, %now, %passed, %limit;
  ld.param.u64 %limit, [cycles];
  mov.u64 %begin, %clock64;
again:
  mov.u64 %now, %clock64;
  sub.s64 %passed, %now, %begin;
  setp.lt.s64 %more, %passed, %limit;
  @%more bra again;
  ret;
}
)";

static void check_driver(CUresult status, int line) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s:%d: CUDA error %d\n", __FILE__, line, static_cast<int>(status));
  std::exit(1);
}
#define CHECK_DRIVER(call) check_driver(call, __LINE__)

static CUfunction load(CUmodule& module) {
  CUfunction function = nullptr;
  CHECK_DRIVER(cuModuleLoadData(&module, kPtx));
  CHECK_DRIVER(cuModuleGetFunction(&function, module, "spin"));
  return function;
}

int main(int count, char** arguments) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // Otherwise only the first round compiles.
  const Program program(count, arguments);
  long long cycles = program.cycles(100.0);
  void* values[] = {&cycles};
  CUmodule module = nullptr;
  CUfunction function = program.clean() ? load(module) : nullptr;
  for (int i = 0; i < program.rounds(300, 3000); ++i) {
    if (!program.clean()) function = load(module);
    CHECK_DRIVER(cuLaunchKernel(function, program.full_grid(), 1, 1, 256, 1, 1, 0, nullptr, values, nullptr));
    program.launch_three(100.0);
    if (program.clean()) continue;
    CHECK(cudaDeviceSynchronize());
    CHECK_DRIVER(cuModuleUnload(module));
  }
}
