#include "profiling/gpu_processes.h"

#include "profiling/driver/nvml.h"

namespace warptune::profiling {

std::vector<std::optional<std::size_t>> gpu_process_counts() { return driver::process_counts(); }

}  // namespace warptune::profiling
