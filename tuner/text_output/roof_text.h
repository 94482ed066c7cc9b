#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/roof_reading.h"

namespace warptune::tuner::text_output {

/// The value of a roof with its unit: `4.20 TB/s` or `60.1 TFLOP/s`.
std::string roof_value_text(const model::RoofKind& kind, double value);

/// One line with the known roofs: `copy 4.20 TB/s, read 4.34 TB/s, fp32 60.1 TFLOP/s (theory 66.9)`. It is
/// `unknown` when no roof is known.
std::string roofs_line(const model::Roofs& roofs);

/// A measured roof of a GPU, as a row of a table.
struct RoofRow {
  model::RoofReading reading;
  std::string note;                            ///< Why the reading is only a lower bound; empty if it is not.
  std::optional<double> theory;                ///< The theoretical maximum, if it is known.
  std::optional<double> ridge_flops_per_byte;  ///< The ridge point of a compute roof, if it is known.
};
/// The rows in the order of `model::measured_roofs()`, and then of `profiling::roofs::host_rates()`. Readings
/// with unknown names are left out.
std::vector<RoofRow> roof_rows(const std::vector<model::RoofReading>& readings,
                               const model::GpuDescription& gpu);

/// The value of a reading with its unit: `4.20 TB/s`, `54.2 GB/s`, `2.1 us`. Its name must be known.
std::string reading_value_text(const model::RoofReading& reading);
/// The unit of a reading's value: `byte/s`, `FLOP/s` or `s`. It is empty if the name is unknown.
std::string_view reading_unit(const model::RoofReading& reading);

}  // namespace warptune::tuner::text_output
