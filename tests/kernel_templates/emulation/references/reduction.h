#pragma once

#include <vector>

#include "../emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_reduction(const Case& run) {
  const bool dot = run.is("operation", "dot");
  double sum = 0.0;
  for (std::size_t i = 0; i < run.size("N"); ++i) {
    sum += dot ? run.buffer(0).at(i) * run.buffer(1).at(i) : run.buffer(0).at(i);
  }
  return {sum};
}

}  // namespace warptune::emulation
