#pragma once

#include <string>
#include <vector>

#include "search/gpu_description.h"
#include "search/measurement.h"

namespace warptune::profiling {

/// GPUs the driver shows; 0 with no driver or none visible, and then `reason` says why in one line.
struct GpuCensus {
  std::vector<search::GpuDescription> gpus;  ///< By ordinal.
  std::string reason;
};
GpuCensus find_gpus();

/// Loads and initialises the driver, which takes some 0.2 s, for whoever needs it next. Says nothing where
/// that fails.
void load_driver();

/// Driver version, clocks and throttle reasons of one GPU now (NVML where it loads), NVRTC's version.
search::Environment read_environment(int ordinal);

}  // namespace warptune::profiling
