// Planted: one of four kernels takes most of the time. Clean: all take the same.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  for (int i = 0; i < program.rounds(200, 1000); ++i) {
    program.launch<3>(program.clean() ? 300.0 : 5000.0, program.full_grid());
    program.launch_three(300.0);
  }
}
