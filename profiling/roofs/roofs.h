#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::profiling::roofs {

/// What a GPU's memory and arithmetic pipes reach, and why what is left out could not be measured.
struct RoofMeasurements {
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;
};

/// Measures in a context of its own on the GPU of that ordinal: less than a second beside making the context.
/// `compile_cache`: where the kernels may lie compiled; empty: none. Throws `base::MachineError` (no GPU).
RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache);

}  // namespace warptune::profiling::roofs
