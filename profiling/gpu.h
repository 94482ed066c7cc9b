#pragma once

#include <memory>
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

/// Keeps a GPU's context open, which takes some 0.3 s the first time in a process, for whoever needs it next.
class OpenGpu {
 public:
  /// Throws `base::MachineError` when the driver or the GPU is not there.
  explicit OpenGpu(int ordinal);
  ~OpenGpu();
  OpenGpu(const OpenGpu&) = delete;
  OpenGpu& operator=(const OpenGpu&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Driver version, clocks and throttle reasons of one GPU now (NVML where it loads), NVRTC's version.
search::Environment read_environment(int ordinal);

}  // namespace warptune::profiling
