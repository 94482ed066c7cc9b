#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

// Arguments: in, gamma, beta, out.
inline std::vector<double> expected_row_norm(const Case& run, bool with_mean) {
  const std::size_t columns = run.size("COLUMNS");
  const double epsilon = run.problem("epsilon");
  std::vector<double> expected(run.size("ROWS") * columns);
  for (std::size_t first = 0; first < expected.size(); first += columns) {
    double mean = 0.0;
    for (std::size_t i = 0; with_mean && i < columns; ++i)
      mean += run.buffer(0).at(first + i) / static_cast<double>(columns);
    double variance = 0.0;
    for (std::size_t i = 0; i < columns; ++i) {
      const double deviation = run.buffer(0).at(first + i) - mean;
      variance += deviation * deviation / static_cast<double>(columns);
    }
    for (std::size_t i = 0; i < columns; ++i) {
      const double deviation = run.buffer(0).at(first + i) - mean;
      expected[first + i] = deviation / std::sqrt(variance + epsilon) * run.buffer(1).at(i);
      if (with_mean) expected[first + i] += run.buffer(2).at(i);
    }
  }
  return expected;
}

inline std::vector<double> expected_layernorm(const Case& run) {
  return expected_row_norm(run, run.is("operation", "layernorm"));
}

// Without gamma and beta, a row has the mean 0 and the variance 1, except for the effect of epsilon.
inline std::string property_layernorm(const Case& run) {
  if (!run.is("operation", "layernorm")) return "";
  const std::size_t columns = run.size("COLUMNS");
  for (std::size_t row = 0; row < run.size("ROWS"); ++row) {
    double sum = 0.0;
    double allowed = 0.0;
    for (std::size_t i = 0; i < columns; ++i) {
      const double gamma = run.buffer(1).at(i);
      if (std::fabs(gamma) < 0.05) return "";  // The division would only amplify rounding errors.
      const double out = run.buffer(3).at(row * columns + i);
      sum += (out - run.buffer(2).at(i)) / gamma;
      allowed += run.tolerance(out) / std::fabs(gamma);
    }
    if (!(std::fabs(sum) <= allowed))
      return "row " + std::to_string(row) + " has the mean " +
             std::to_string(sum / static_cast<double>(columns));
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_layernorm
