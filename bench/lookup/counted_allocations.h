#pragma once

#include <cstddef>

namespace warptune::bench {

/// How often this process has called `operator new`, also from libwarptune.so. The driver's allocations are
/// not counted.
std::size_t allocation_count();

}  // namespace warptune::bench
