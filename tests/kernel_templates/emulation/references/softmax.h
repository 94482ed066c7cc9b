#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_softmax(const Case& run) {
  const std::size_t columns = run.size("COLUMNS");
  std::vector<double> expected(run.size("ROWS") * columns);
  for (std::size_t first = 0; first < expected.size(); first += columns) {
    double maximum = run.buffer(0).at(first);
    for (std::size_t i = 0; i < columns; ++i) maximum = std::max(maximum, run.buffer(0).at(first + i));
    double sum = 0.0;
    for (std::size_t i = 0; i < columns; ++i) {
      expected[first + i] = std::exp(run.buffer(0).at(first + i) - maximum);
      sum += expected[first + i];
    }
    for (std::size_t i = 0; i < columns; ++i) expected[first + i] /= sum;
  }
  return expected;
}

}  // namespace warptune::emulation
