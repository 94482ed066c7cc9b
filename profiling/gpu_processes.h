#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warptune::profiling {

/// The number of processes with a compute context on each GPU of the machine, in NVML's order. A number that
/// NVML does not report is std::nullopt. The result is empty when NVML does not load.
std::vector<std::optional<std::size_t>> gpu_process_counts();

}  // namespace warptune::profiling
