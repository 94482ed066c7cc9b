#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"

namespace warptune::profiling {

/// The GPU of this machine, recognised among descriptions that the driver gave in earlier sessions. NVML
/// tells in some milliseconds what a GPU is called, its capability, cores, memory, clocks, ECC and MIG modes;
/// the driver, which takes 0.2 s and more to start, is not asked. NVML knows no size of the L2 cache, so a
/// description is never made from it: it only says which of those known it is.
///
/// Nothing where that is not certain: NVML is not to be had or withholds something, no description fits or
/// two with different keys do, the machine has GPUs of several kinds (which of them is the driver's first
/// NVML cannot tell), MIG is on, or `visible_devices` (the variable CUDA_VISIBLE_DEVICES; nothing where it is
/// not set) hides GPUs by anything but numbers. Then the driver must be asked. `library`: for tests, another
/// file than the driver's.
std::optional<model::GpuDescription> recognise_gpu(const std::vector<model::GpuDescription>& known,
                                                   const std::optional<std::string>& visible_devices,
                                                   const std::string& library = "libnvidia-ml.so.1");

}  // namespace warptune::profiling
