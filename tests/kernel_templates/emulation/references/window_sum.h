#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_window_sum(const Case& run) {
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < run.size("WIDTH"); ++j) expected[i] += run.buffer(0).at(i + j);
  }
  return expected;
}

// Successive windows differ by the element that enters and the element that leaves.
inline std::string property_window_sum(const Case& run) {
  const std::size_t width = run.size("WIDTH");
  for (std::size_t i = 0; i + 1 < run.size("N"); ++i) {
    const double here = run.buffer(1).at(i);
    const double next = run.buffer(1).at(i + 1);
    const double step = run.buffer(0).at(i + width) - run.buffer(0).at(i);
    if (!(std::fabs(next - here - step) <= run.tolerance(here) + run.tolerance(next)))
      return "windows " + std::to_string(i) + " and its next differ by " + std::to_string(next - here);
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_window_sum
