#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_window_example(const Case& run) {
  std::vector<double> expected(run.size("COUNT"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < run.size("WIDTH"); ++j) expected[i] += run.buffer(0).at(i + j);
  }
  return expected;
}

}  // namespace warptune::emulation
