#pragma once

#include <cuda.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/driver/device_helpers.h"

namespace warptune::profiling::roofs {

/// Measures the maximum rates of a GPU's memory and arithmetic pipes. Returns a reading for each roof. It
/// takes less than one second, including compiling. roof_meter.cpp describes the method.
///
/// A roof may be impossible to measure, because memory is missing or because this GPU or NVRTC refuses the
/// kernel. Such a roof is left out, and `problems` gets a line that says why. Throws `CudaError` after an
/// error that makes the context unusable.
std::vector<model::RoofReading> measure_roofs(const model::GpuDescription& gpu, CUstream stream,
                                              const driver::DeviceHelpers& helpers,
                                              const std::filesystem::path& compile_cache,
                                              std::vector<std::string>& problems);

}  // namespace warptune::profiling::roofs
