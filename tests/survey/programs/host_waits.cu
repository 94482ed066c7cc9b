// Planted: the host waits for each kernel, though it reads nothing. Clean: it waits at the end.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  for (int i = 0; i < program.rounds(40000, 60000); ++i) {
    program.launch_turn(i, 15.0, program.full_grid());
    if (!program.clean()) CHECK(cudaDeviceSynchronize());
  }
}
