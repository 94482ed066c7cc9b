#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

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

// The sum of an input row equals the sum of the output column exactly, because both add the same elements in
// the same order.
inline std::string property_transpose(const Case& run) {
  const std::size_t rows = run.size("M");
  const std::size_t columns = run.size("N");
  for (std::size_t row = 0; row < rows; ++row) {
    double in = 0.0;
    double out = 0.0;
    for (std::size_t column = 0; column < columns; ++column) {
      in += run.buffer(0).at(row * columns + column);
      out += run.buffer(1).at(column * rows + row);
    }
    if (!(in == out)) return "row " + std::to_string(row) + " adds up to something else";
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_transpose
