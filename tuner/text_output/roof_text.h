#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::tuner::text_output {

/// `4.20 TB/s` or `60.1 TFLOP/s`.
std::string roof_value_text(const model::RoofKind& kind, double value);

/// One line of the roofs that are known: `copy 4.20 TB/s, read 4.34 TB/s, fp32 60.1 TFLOP/s (theory 66.9)`;
/// `unknown` where none is.
std::string roofs_line(const model::Roofs& roofs);

/// What was measured of a GPU, as a row of a table.
struct RoofRow {
  model::RoofReading reading;
  std::string note;                            ///< How it was measured, where that limits what it says.
  std::optional<double> theory;                ///< In the unit of the reading, where it is known.
  std::optional<double> ridge_flops_per_byte;  ///< Of a compute roof.
};
/// In the order of `model::measured_roofs()`; readings of unknown names are left out.
std::vector<RoofRow> roof_rows(const std::vector<model::RoofReading>& readings,
                               const model::GpuDescription& gpu);

}  // namespace warptune::tuner::text_output
