// Planted: each round copies 64 MiB of pageable memory, and then computes. Clean: the memory is pinned, and
// the next round's data are copied in a second stream while this round computes.
#include <vector>

#include "program.cuh"

constexpr std::size_t kBytes = 64 << 20;

static void copy_pageable(const Program& program, char* device) {
  std::vector<char> host(kBytes, 1);
  for (int i = 0; i < program.rounds(150, 0); ++i) {
    CHECK(cudaMemcpy(device, host.data(), kBytes, cudaMemcpyHostToDevice));
    program.launch_three(600.0);
  }
}

static void copy_pinned(const Program& program, char* device) {
  char* host = nullptr;
  CHECK(cudaMallocHost(&host, kBytes));
  std::memset(host, 1, kBytes);
  cudaStream_t copies, compute;
  cudaEvent_t copied[2], used[2];
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaEventCreateWithFlags(&copied[k], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used[k], cudaEventDisableTiming));
  }
  for (int i = 0; i < program.rounds(0, 500); ++i) {
    const int k = i % 2;
    CHECK(cudaStreamWaitEvent(copies, used[k], 0));
    CHECK(cudaMemcpyAsync(device + k * kBytes, host, kBytes, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(copied[k], copies));
    CHECK(cudaStreamWaitEvent(compute, copied[k], 0));
    program.launch_three(600.0, compute);
    CHECK(cudaEventRecord(used[k], compute));
  }
  CHECK(cudaDeviceSynchronize());
}

int main(int count, char** arguments) {
  const Program program(count, arguments);
  char* device = nullptr;
  CHECK(cudaMalloc(&device, 2 * kBytes));
  program.clean() ? copy_pinned(program, device) : copy_pageable(program, device);
}
