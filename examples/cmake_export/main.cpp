// Prints the configurations that were selected for a GPU like the H200 (compute capability 9.0, 132
// multiprocessors). A program with kernels would launch them with these values.
#include <cstdio>

#include "reduction.h"
#include "tuned/vector_add.h"

int main() {
  const warptune_vector_add::Selection add = warptune_vector_add::select({90, 132}, {});
  const warptune_reduction::Selection sum = warptune_reduction::select({90, 132}, {});
  std::printf("vector_add: row %d, BLOCK=%d\n", add.row, add.config.BLOCK);
  std::printf("reduction: row %d, BLOCK=%d\n", sum.row, sum.config.BLOCK);
}
