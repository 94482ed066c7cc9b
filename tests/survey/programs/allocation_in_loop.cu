// Planted: each round allocates and frees its buffer. Clean: the buffer is allocated once.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr std::size_t kBytes = 256 << 20;
  float* buffer = nullptr;
  if (program.clean()) CHECK(cudaMalloc(&buffer, kBytes));
  for (int i = 0; i < program.rounds(1000, 6000); ++i) {
    if (!program.clean()) CHECK(cudaMalloc(&buffer, kBytes));
    program.launch_three(50.0);
    if (!program.clean()) CHECK(cudaFree(buffer));
  }
  if (program.clean()) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(buffer));
  }
}
