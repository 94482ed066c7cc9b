#pragma once

#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling {

/// The GPUs that the driver shows. With no driver or no visible GPU the list is empty, and `reason` says why
/// in one line.
struct GpuList {
  std::vector<model::GpuDescription> gpus;  ///< In the order of their ordinals.
  std::string reason;
};
GpuList enumerate_gpus();

/// Describes one GPU for a program that only launches kernels. CUPTI is not loaded, so the chip's name comes
/// from the compute capability. Throws `base::MachineError` if there is no driver or no such GPU.
model::GpuDescription local_gpu(int ordinal);

/// Returns CUPTI's name of the chip for a compute capability, or an empty text for one that is not known.
/// There may be other chips of the same capability. It is used when CUPTI cannot be asked.
std::string chip_by_capability(int major, int minor);

/// Reads the driver's version, the clocks and the throttle reasons of one GPU at this moment, and the version
/// of NVRTC. Clocks and throttle reasons come from NVML. They are missing where NVML does not load.
model::Environment read_environment(int ordinal);

}  // namespace warptune::profiling
