#pragma once

#include <string>
#include <vector>

#include "search/gpu_description.h"
#include "search/measurement.h"

namespace warptune::profiling {

/// The GPUs that the driver shows. With no driver or no visible GPU the list is empty, and `reason` says why
/// in one line.
struct GpuList {
  std::vector<search::GpuDescription> gpus;  ///< By ordinal.
  std::string reason;
};
GpuList enumerate_gpus();

/// Driver version, clocks and throttle reasons of one GPU now (NVML where it loads), NVRTC's version.
search::Environment read_environment(int ordinal);

}  // namespace warptune::profiling
