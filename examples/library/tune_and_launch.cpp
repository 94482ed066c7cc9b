// Tunes a kernel whose source is a string of this program, on the program's own buffers, and launches the fastest
// configuration. Only the function `run` uses libwarptune; docs/library.md explains it.
//
//   tune_and_launch
#include <cuda.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>
#include <warptune_tuning.hpp>

namespace {

const char* const kSource = R"(
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
  for (int i = first; i < first + ITEMS && i < n; ++i) y[i] += a * x[i];
}
)";

// Tunes and launches y += 2 x for `n` elements in device memory.
void run(const float* x, float* y, int n, const float* expected) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  const warptune::Library library(options);
  warptune::Definition saxpy("saxpy", kSource);
  saxpy.problem("N", 1 << 20)
      .parameter("BLOCK", {64, 128, 256, 512}, 256)
      .parameter("ITEMS", {1, 2, 4, 8}, 1)
      .launch({"ceil_div(N, BLOCK * ITEMS)"}, {"BLOCK"})
      .in("x", "f32", "N")
      .inout("y", "f32", "N")
      .scalar("a", "f32", "2.0")
      .scalar("n", "i32", "N");
  const std::string kernel = warptune::define(library, saxpy);
  warptune::TuningRequest request(kernel);
  request.problem(n).budget("all").first("x", warptune::buffer(x, n)).first("y", warptune::buffer(y, n));
  request.expect("y", warptune::buffer(expected, n), WARPTUNE_HOST_MEMORY);
  const warptune::TuningResult best = warptune::tune(library, request);
  const warptune::Code code = library.kernel(kernel).select(n).load();
  code.launch(nullptr, warptune::buffer(x, n), warptune::buffer(y, n), warptune::scalar(2.0F),
              warptune::scalar(n));
  std::printf("%s: %.3g us, %llu configurations, %llu of them wrong\n", best.configuration.c_str(),
              best.median_ns * 1e-3, static_cast<unsigned long long>(best.evaluated),
              static_cast<unsigned long long>(best.wrong));
}

void check_cuda(CUresult code) {
  if (code != CUDA_SUCCESS) throw std::runtime_error("the CUDA driver answers " + std::to_string(code));
}

float* on_device(const std::vector<float>& numbers) {
  CUdeviceptr memory = 0;
  check_cuda(cuMemAlloc(&memory, numbers.size() * sizeof(float)));
  check_cuda(cuMemcpyHtoD(memory, numbers.data(), numbers.size() * sizeof(float)));
  return reinterpret_cast<float*>(memory);
}

int run_on_the_gpu() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  check_cuda(cuInit(0));
  check_cuda(cuDeviceGet(&device, 0));
  check_cuda(cuDevicePrimaryCtxRetain(&context, device));
  check_cuda(cuCtxSetCurrent(context));
  constexpr int kCount = 1000003;
  std::vector<float> numbers(kCount);
  std::vector<float> expected(kCount);
  for (int i = 0; i < kCount; ++i) {
    numbers[i] = static_cast<float>(i % 1000);
    expected[i] = 1.0F + 2.0F * numbers[i];
  }
  float* const x = on_device(numbers);
  float* const y = on_device(std::vector<float>(kCount, 1.0F));
  run(x, y, kCount, expected.data());
  check_cuda(cuMemcpyDtoH(numbers.data(), reinterpret_cast<CUdeviceptr>(y), kCount * sizeof(float)));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += numbers[i] != expected[i];
  std::printf("%d of %d elements are wrong\n", wrong, kCount);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run_on_the_gpu();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
