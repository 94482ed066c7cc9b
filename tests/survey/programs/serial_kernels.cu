// Planted: each of 33 items gets a launch of 1/33 of the GPU, in one stream. Clean: all items are one launch.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr int kItems = 33;
  const int blocks = program.full_grid() / kItems;
  for (int i = 0; i < program.rounds(600, 20000); ++i) {
    const int launches = program.clean() ? 1 : kItems;
    for (int k = 0; k < launches; ++k)
      program.launch_turn(i, 50.0, program.clean() ? program.full_grid() : blocks);
  }
}
