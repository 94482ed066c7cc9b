// Checks a launch against the limits of a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "kernel_templates/launch_plan.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::resolution {

/// The limits of every GPU: blocks of a grid and threads of a block in each dimension (CUDA C++ Programming
/// Guide, table "Technical Specifications per Compute Capability").
inline constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
inline constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};

/// Returns why a launch exceeds the GPU's limits of threads, blocks and dynamic shared memory, or
/// std::nullopt if it does not.
std::optional<std::string> limit_violation(const LaunchStep& step, const model::GpuDescription& gpu);

}  // namespace warptune::kernel_templates::resolution
