// Planted: each round copies 64 MiB of pinned memory in the stream that computes. Clean: a second stream
// copies the next round's data while this round computes.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr std::size_t kBytes = 64 << 20;
  char* host = nullptr;
  char* device = nullptr;
  CHECK(cudaMallocHost(&host, kBytes));
  CHECK(cudaMalloc(&device, 2 * kBytes));
  std::memset(host, 1, kBytes);
  cudaStream_t compute, second;
  cudaEvent_t copied[2], used[2];
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaEventCreateWithFlags(&copied[k], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used[k], cudaEventDisableTiming));
  }
  const cudaStream_t copies = program.clean() ? second : compute;
  for (int i = 0; i < program.rounds(150, 250); ++i) {
    const int k = i % 2;
    CHECK(cudaStreamWaitEvent(copies, used[k], 0));
    CHECK(cudaMemcpyAsync(device + k * kBytes, host, kBytes, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(copied[k], copies));
    CHECK(cudaStreamWaitEvent(compute, copied[k], 0));
    program.launch_three(600.0, compute);
    CHECK(cudaEventRecord(used[k], compute));
  }
}
