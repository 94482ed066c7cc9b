#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "profiling/hot_lines.h"
#include "profiling/plausibility.h"
#include "search/measurement.h"
#include "search/value.h"
#include "tuner/report.h"
#include "tuner/roof_text.h"

/// What `--format json` and the report's page say of values that several of them show.
namespace warptune::tuner::detail {

/// JSON has no NaN and no infinity: null stands for both.
nlohmann::json finite_or_null(double value);
nlohmann::json to_json(const search::Value& value);
nlohmann::json to_json(const search::GpuDescription& gpu);
nlohmann::json to_json(const search::Environment& environment);
nlohmann::json to_json(const profiling::HotLines& lines);
/// An object in the order given.
nlohmann::ordered_json to_ordered_json(const search::NamedValues& values);

/// Text of a report, indented; bytes that are no UTF-8 (a compiler quoting a source) become U+FFFD.
std::string to_text(const nlohmann::ordered_json& report);

/// What `--format json` says of a Pareto front: the value of each part of the objective, configuration, time.
nlohmann::ordered_json pareto_report(const std::vector<ParetoPoint>& points,
                                     const search::Objective& objective);

/// For people's programs: what `--format json` says of one measurement.
/// With its share of the roof (`roof_share`, 0.9 of the least time) and which binds, where those are known
/// and it was measured, and how well it is verified, where it was a session's best.
nlohmann::ordered_json measurement_report(const search::Measurement& measurement,
                                          const search::Work& work = {}, const search::Roofs& roofs = {});

/// For people's programs, too.
nlohmann::ordered_json to_ordered_json(const search::Roofs& roofs);
nlohmann::ordered_json to_ordered_json(const search::Work& work);
nlohmann::ordered_json to_ordered_json(const profiling::WorkDoubt& doubt);
/// What was measured of a GPU.
nlohmann::ordered_json roof_report(const std::vector<RoofRow>& rows);

}  // namespace warptune::tuner::detail
