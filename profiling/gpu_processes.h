#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warptune::profiling {

/// The number of processes with a compute context on each GPU of the machine, as NVML lists them. A number
/// that NVML withholds has no value. The result is empty when NVML does not load.
std::vector<std::optional<std::size_t>> gpu_process_counts();

}  // namespace warptune::profiling
