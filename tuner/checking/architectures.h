#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"

namespace warptune::tuner::checking {

/// A common GPU of a compute capability (90 for 9.0), with the limits that launches and occupancy need.
/// Returns std::nullopt for a capability whose limits are not known here. Its memory size is 0, which means
/// unknown.
std::optional<model::GpuDescription> typical_gpu(int capability);

/// The capabilities for which `typical_gpu` has a GPU, in ascending order.
std::vector<int> known_capabilities();

}  // namespace warptune::tuner::checking
