#pragma once

#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling {

/// The GPUs that the driver shows. With no driver or no visible GPU the list is empty, and `reason` says why
/// in one line.
struct GpuList {
  std::vector<model::GpuDescription> gpus;  ///< By ordinal.
  std::string reason;
};
GpuList enumerate_gpus();

/// Driver version, clocks and throttle reasons of one GPU now (NVML where it loads), NVRTC's version.
model::Environment read_environment(int ordinal);

}  // namespace warptune::profiling
