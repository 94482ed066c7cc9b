#pragma once

#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_window_sum(const Case& run) {
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < run.size("WIDTH"); ++j) expected[i] += run.buffer(0).at(i + j);
  }
  return expected;
}

}  // namespace warptune::emulation
