#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_spmv(const Case& run) {
  const auto index = [&](std::size_t buffer, std::size_t i) {
    return static_cast<std::size_t>(run.buffer(buffer).at(i));
  };
  std::vector<double> expected(run.size("ROWS"));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t i = index(0, row); i < index(0, row + 1); ++i) {
      expected[row] += run.buffer(2).at(i) * run.buffer(3).at(index(1, i));
    }
  }
  return expected;
}

}  // namespace warptune::emulation
