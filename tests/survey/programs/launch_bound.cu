// Planted: 300,000 launches that do almost nothing. Clean: the same cycles in fewer launches.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  for (int i = 0; i < program.rounds(300000, 15000); ++i)
    program.launch_turn(i, program.clean() ? 60.0 : 0.5, program.full_grid());
}
