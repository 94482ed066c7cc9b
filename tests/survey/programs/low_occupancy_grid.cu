// Planted: one of four kernels runs in 8 blocks, and so on 8 SMs only. Clean: its work fills the GPU.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  for (int i = 0; i < program.rounds(250, 1000); ++i) {
    if (program.clean())
      program.launch<3>(250.0, program.full_grid());
    else
      program.launch<3>(4000.0, 8);
    program.launch_three(250.0);
  }
}
