// Checks a launch against the limits of a GPU.
#pragma once

#include <optional>
#include <string>

#include "kernel_templates/launch_plan.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::resolution {

/// Returns why a launch exceeds the GPU's limits of threads, blocks and dynamic shared memory, or
/// std::nullopt if it does not.
std::optional<std::string> limit_violation(const LaunchStep& step, const model::GpuDescription& gpu);

}  // namespace warptune::kernel_templates::resolution
