#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/value.h"
#include "profiling/hot_lines.h"
#include "profiling/verification/plausibility.h"
#include "tuner/text_output/configuration_comparison.h"
#include "tuner/text_output/roof_text.h"

/// What `--format json` and the report's page say of values that several of them show.
namespace warptune::tuner::json_output {

/// JSON has no NaN and no infinity: null stands for both.
nlohmann::json finite_or_null(double value);
nlohmann::json to_json(const model::Value& value);
nlohmann::json to_json(const model::GpuDescription& gpu);
nlohmann::json to_json(const model::Environment& environment);
nlohmann::json to_json(const profiling::HotLines& lines);
/// An object in the order given.
nlohmann::ordered_json to_ordered_json(const model::NamedValues& values);

/// Text of a report, indented; bytes that are no UTF-8 (a compiler quoting a source) become U+FFFD.
std::string to_text(const nlohmann::ordered_json& report);

/// What `--format json` says of a Pareto front: the value of each part of the objective, configuration, time.
nlohmann::ordered_json pareto_report(const std::vector<text_output::ParetoPoint>& points,
                                     const model::Objective& objective);

/// For people's programs: what `--format json` says of one measurement.
/// With its share of the roof (`roof_share`, 0.9 of the least time) and which binds, where those are known
/// and it was measured, and how well it is verified, where it was a session's best.
nlohmann::ordered_json measurement_report(const model::Measurement& measurement, const model::Work& work = {},
                                          const model::Roofs& roofs = {});

/// For people's programs, too.
nlohmann::ordered_json to_ordered_json(const model::Roofs& roofs);
nlohmann::ordered_json to_ordered_json(const model::Work& work);
nlohmann::ordered_json to_ordered_json(const profiling::verification::WorkDoubt& doubt);
/// What was measured of a GPU.
nlohmann::ordered_json roof_report(const std::vector<text_output::RoofRow>& rows);

}  // namespace warptune::tuner::json_output
