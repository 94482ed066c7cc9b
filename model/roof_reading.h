#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::model {

/// One measured ceiling of a GPU, as it is stored.
struct RoofReading {
  std::string name;                ///< One of `measured_roofs()`.
  double value = 0.0;              ///< Bytes or FLOP a second.
  double relative_spread = 0.0;    ///< Half of the 95 % interval of its median, as a share of it.
  double sm_clock_mhz = 0.0;       ///< Median while it was measured; 0 when unknown.
  std::int64_t time_stamp_ms = 0;  ///< Unix time.
  int driver_version = 0;          ///< CUDA's form: 13000. 0 when unknown.
};

/// A ceiling that can be measured, and where `Roofs` keeps it.
struct RoofKind {
  std::string_view name;
  double Roofs::*value;
  bool is_memory;  ///< Bytes a second; else FLOP/s.
};
/// `copy`, `read`, `fp32`, `fp64`, `tensor`.
std::span<const RoofKind> measured_roofs();
/// Null for a name that is none.
const RoofKind* find_roof(std::string_view name);

/// The readings, and the theory of the GPU beside them. Unknown names (of a newer warptune) are passed over.
Roofs roofs_of(const std::vector<RoofReading>& readings, const GpuDescription& gpu);

}  // namespace warptune::model
