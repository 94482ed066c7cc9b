#pragma once

#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_vector_add(const Case& run) {
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = run.buffer(2).rounded(run.buffer(0).at(i) + run.buffer(1).at(i));
  }
  return expected;
}

}  // namespace warptune::emulation
