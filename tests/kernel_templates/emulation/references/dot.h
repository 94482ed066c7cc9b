#pragma once

#include "reduction.h"

namespace warptune::emulation {

inline std::vector<double> expected_dot(const Case& run) { return expected_reduction(run); }

}  // namespace warptune::emulation
