#pragma once

#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_transpose(const Case& run) {
  const std::size_t rows = run.size("M");
  const std::size_t columns = run.size("N");
  std::vector<double> expected(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      expected[column * rows + row] = run.buffer(0).at(row * columns + column);
    }
  }
  return expected;
}

}  // namespace warptune::emulation
