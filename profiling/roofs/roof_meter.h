#pragma once

#include <cuda.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/driver/device_helpers.h"

namespace warptune::profiling::roofs {

/// Measures what a GPU's memory and arithmetic pipes reach: a device-to-device copy, a read-only sum, and
/// dependent multiply-adds of each pipe (`roof_kernels.h`), each launched for some 50 ms after a warm-up of
/// 20 ms, timed singly. A reading is the median. Less than a second in all, compiling included.
///
/// A roof that cannot be measured (no memory for it, a kernel that this GPU or NVRTC refuses) is left out,
/// and `problems` gets a line that says why. Throws `CudaError` where nothing works any more.
std::vector<model::RoofReading> measure_roofs(const model::GpuDescription& gpu, CUstream stream,
                                              const driver::DeviceHelpers& helpers,
                                              const std::filesystem::path& compile_cache,
                                              std::vector<std::string>& problems);

}  // namespace warptune::profiling::roofs
