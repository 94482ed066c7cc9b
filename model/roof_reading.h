#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::model {

/// A measured ceiling of a GPU, as it is stored.
struct RoofReading {
  std::string name;                         ///< A name of `measured_roofs()`.
  double value = 0.0;                       ///< In bytes or FLOP per second.
  double relative_spread = 0.0;             ///< Half the median's 95 % interval, divided by the median.
  std::optional<double> sm_clock_mhz = {};  ///< The median clock during the measurement.
  std::int64_t time_stamp_ms = 0;           ///< In Unix time.
  std::optional<int> driver_version = {};   ///< In CUDA's form: 13000.
};

/// A ceiling that can be measured, and the member of `Roofs` that stores it.
struct RoofKind {
  std::string_view name;
  std::optional<double> Roofs::*value;
  bool is_memory;  ///< Whether the unit is bytes per second; otherwise it is FLOP/s.
};
/// The ceilings `copy`, `read`, `fp32`, `fp64` and `tensor`.
std::span<const RoofKind> measured_roofs();
/// Returns null when no ceiling has the name.
const RoofKind* find_roof(std::string_view name);

/// Returns the measured ceilings together with the GPU's theoretical peak. Unknown names, which a newer
/// warptune may have stored, are ignored.
Roofs roofs_of(const std::vector<RoofReading>& readings, const GpuDescription& gpu);

}  // namespace warptune::model
