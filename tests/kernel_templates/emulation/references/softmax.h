#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

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

// The sum of each row is one, and no element is negative.
inline std::string property_softmax(const Case& run) {
  const std::size_t columns = run.size("COLUMNS");
  for (std::size_t row = 0; row < run.size("ROWS"); ++row) {
    double sum = 0.0;
    double allowed = 0.0;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
      const double share = run.buffer(1).at(i);
      if (!(share >= 0.0)) return "an element is negative";
      sum += share;
      allowed += run.tolerance(share);
    }
    if (!(std::fabs(sum - 1.0) <= allowed))
      return "row " + std::to_string(row) + " adds up to " + std::to_string(sum);
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_softmax
