#pragma once

#include "elementwise.h"

namespace warptune::emulation {

inline std::vector<double> expected_vector_add(const Case& run) { return expected_elementwise(run); }

}  // namespace warptune::emulation
