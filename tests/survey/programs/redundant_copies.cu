// Planted: each round copies the state to the GPU and back. Clean: the state stays on the GPU.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr std::size_t kBytes = 32 << 20;
  char* host = nullptr;
  char* device = nullptr;
  CHECK(cudaMallocHost(&host, kBytes));
  CHECK(cudaMalloc(&device, kBytes));
  std::memset(host, 1, kBytes);
  const int rounds = program.rounds(700, 3000);
  for (int i = 0; i < rounds; ++i) {
    if (!program.clean() || i == 0) CHECK(cudaMemcpy(device, host, kBytes, cudaMemcpyHostToDevice));
    program.launch_three(100.0);
    if (!program.clean() || i + 1 == rounds) CHECK(cudaMemcpy(host, device, kBytes, cudaMemcpyDeviceToHost));
  }
}
