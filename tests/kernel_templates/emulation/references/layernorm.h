#pragma once

#include <cmath>
#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

// Arguments: in, gamma, beta, out.
inline std::vector<double> expected_row_norm(const Case& run, bool with_mean) {
  const std::size_t columns = run.size("COLUMNS");
  std::vector<double> expected(run.size("ROWS") * columns);
  for (std::size_t first = 0; first < expected.size(); first += columns) {
    double mean = 0.0;
    for (std::size_t i = 0; with_mean && i < columns; ++i) mean += run.buffer(0).at(first + i) / columns;
    double variance = 0.0;
    for (std::size_t i = 0; i < columns; ++i) {
      const double deviation = run.buffer(0).at(first + i) - mean;
      variance += deviation * deviation / columns;
    }
    for (std::size_t i = 0; i < columns; ++i) {
      const double deviation = run.buffer(0).at(first + i) - mean;
      expected[first + i] = deviation / std::sqrt(variance + run.problem("epsilon")) * run.buffer(1).at(i);
      if (with_mean) expected[first + i] += run.buffer(2).at(i);
    }
  }
  return expected;
}

inline std::vector<double> expected_layernorm(const Case& run) {
  return expected_row_norm(run, run.is("operation", "layernorm"));
}

}  // namespace warptune::emulation
