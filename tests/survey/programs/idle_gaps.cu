// Planted: the host computes for 0.8 ms between the steps of the GPU. Clean: it does so while the GPU works.
#include "program.cuh"

// Keeps the host busy without a call of CUDA.
static void compute_on_host(double us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(us);
  volatile double value = 0.0;
  while (std::chrono::steady_clock::now() < end) value = value + 1.0;
}

int main(int count, char** arguments) {
  const Program program(count, arguments);
  for (int i = 0; i < program.rounds(1000, 1000); ++i) {
    program.launch_three(program.clean() ? 400.0 : 100.0);
    if (!program.clean()) CHECK(cudaDeviceSynchronize());
    compute_on_host(800.0);
    if (program.clean()) CHECK(cudaDeviceSynchronize());
  }
}
