// Uses an exported header as another program would. It selects the configurations for this GPU, and runs a
// kernel of its own with the tuned constants.
//
//   warptune export vector_add transpose reduction sgemm -o tuned.h
//   nvcc -std=c++17 -I. check.cu -o check && ./check
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tuned.h"

namespace {

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

template <int Block, int Items>
__global__ void __launch_bounds__(Block) add(const float* a, const float* b, float* c, long long n) {
  const long long first = blockIdx.x * static_cast<long long>(Block) * Items + threadIdx.x;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const long long at = first + i * Block;
    if (at < n) c[at] = a[at] + b[at];
  }
}

const char* text_of(int match) {
  static const char* const kNames[] = {"exact",    "near_problem", "same_cc",         "same_major",
                                       "portable", "recommended",  "fallback_default"};
  return kNames[match];
}

// Runs `add` with the tuned constants and compares every element. Returns the number of wrong ones.
long long wrong_sums(const warptune_vector_add::Config& config, long long n) {
  std::vector<float> a(n), b(n), c(n, -1.0F);
  for (long long i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 777) * 0.5F;
  }
  float* device[3] = {};
  for (float*& buffer : device) require(cudaMalloc(&buffer, n * sizeof(float)), "cudaMalloc");
  require(cudaMemcpy(device[0], a.data(), n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  require(cudaMemcpy(device[1], b.data(), n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  const bool found = warptune_vector_add::dispatch(config, [&](auto choice) {
    constexpr int kBlock = decltype(choice)::BLOCK;
    constexpr int kItems = decltype(choice)::ITEMS * decltype(choice)::VECTOR;
    const long long blocks = (n + kBlock * kItems - 1) / (kBlock * kItems);
    add<kBlock, kItems><<<static_cast<unsigned>(blocks), kBlock>>>(device[0], device[1], device[2], n);
  });
  require(cudaGetLastError(), "add");
  require(cudaMemcpy(c.data(), device[2], n * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (float* buffer : device) cudaFree(buffer);
  long long wrong = found ? 0 : n;
  for (long long i = 0; found && i < n; ++i) wrong += c[i] != a[i] + b[i];
  return wrong;
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int inexact = 0;
  const auto report = [&](const char* kernel, auto selection) {
    std::printf("%-11s %s, row %d\n", kernel, text_of(static_cast<int>(selection.match)), selection.row);
    inexact += static_cast<int>(selection.match) != 0;
  };
  report("vector_add", warptune_vector_add::select(warptune_vector_add::device_of(properties), {}));
  report("transpose", warptune_transpose::select(warptune_transpose::device_of(properties), {}));
  report("reduction", warptune_reduction::select(warptune_reduction::device_of(properties), {}));
  report("sgemm", warptune_sgemm::select(warptune_sgemm::device_of(properties), {}));
  const auto chosen = warptune_vector_add::select(warptune_vector_add::device_of(properties), {});
  const long long wrong = wrong_sums(chosen.config, 10000019);
  std::printf("vector_add with the tuned constants: %lld of 10000019 sums wrong; %d of 4 matches not exact\n",
              wrong, inexact);
  return wrong == 0 && inexact == 0 ? 0 : 1;
}
