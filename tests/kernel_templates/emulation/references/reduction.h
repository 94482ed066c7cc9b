#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_reduction(const Case& run) {
  const Buffer& a = run.buffer(0);
  const bool dot = run.is("operation", "dot");
  const bool min = run.is("operation", "min"), max = run.is("operation", "max");
  const std::size_t n = run.size("N");
  long double value = dot ? a.at(0) * run.buffer(1).at(0) : a.at(0);
  for (std::size_t i = 1; i < n; ++i) {
    if (dot) {
      value += a.at(i) * run.buffer(1).at(i);
    } else if (min) {
      value = std::min<long double>(value, a.at(i));
    } else if (max) {
      value = std::max<long double>(value, a.at(i));
    } else {
      value += a.at(i);
    }
  }
  return {static_cast<double>(value)};
}

}  // namespace warptune::emulation
