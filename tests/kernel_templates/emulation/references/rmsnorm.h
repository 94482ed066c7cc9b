#pragma once

#include <vector>

#include "layernorm.h"

namespace warptune::emulation {

inline std::vector<double> expected_rmsnorm(const Case& run) { return expected_row_norm(run, false); }

}  // namespace warptune::emulation
