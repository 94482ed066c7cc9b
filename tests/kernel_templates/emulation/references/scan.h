#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_scan(const Case& run) {
  const bool max = run.is("operation", "max");
  const bool exclusive = run.is("scan", "exclusive");
  long double value = 0.0;
  if (max) {
    value = -std::numeric_limits<double>::infinity();
    if (run.is("accumulator", "i32")) value = std::numeric_limits<std::int32_t>::min();
    if (run.is("accumulator", "i64"))
      value = static_cast<long double>(std::numeric_limits<std::int64_t>::min());
  }
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double before = static_cast<double>(value);
    const long double element = run.buffer(0).at(i);
    value = max ? std::max(value, element) : value + element;
    expected[i] = exclusive ? before : static_cast<double>(value);
  }
  return expected;
}

// Successive elements differ by the input (sums), or do not descend (maxima).
inline std::string property_scan(const Case& run) {
  const bool max = run.is("operation", "max");
  const bool exclusive = run.is("scan", "exclusive");
  const std::size_t n = run.size("N");
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double here = run.buffer(1).at(i);
    const double next = run.buffer(1).at(i + 1);
    if (max) {
      if (!(next >= here)) return "the running maximum descends after element " + std::to_string(i);
      continue;
    }
    const double step = run.buffer(0).at(exclusive ? i : i + 1);
    if (!(std::fabs(next - here - step) <= run.tolerance(here) + run.tolerance(next)))
      return "the step after element " + std::to_string(i) + " is not the input's";
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_scan
