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

/// JSON forms of values that the outputs of several commands and the HTML report share.
namespace warptune::tuner::json_output {

/// A number, or null for NaN and infinity, which JSON cannot hold.
nlohmann::json finite_or_null(double value);
nlohmann::json to_json(const model::Value& value);
nlohmann::json to_json(const model::GpuDescription& gpu);
nlohmann::json to_json(const model::Environment& environment);
nlohmann::json to_json(const profiling::HotLines& lines);
/// An object whose keys keep the order of `values`.
nlohmann::ordered_json to_ordered_json(const model::NamedValues& values);

/// The indented text of a JSON output. Bytes that are not valid UTF-8 become U+FFFD. A compiler log may
/// contain such bytes from the source.
std::string to_text(const nlohmann::ordered_json& report);

/// A Pareto front for `--format json`: an array with the value of each part of the objective, the
/// configuration and the time of each point.
nlohmann::ordered_json pareto_report(const std::vector<text_output::ParetoPoint>& points,
                                     const model::Objective& objective);

/// One measurement for `--format json`. `roof_share` is the time that the roofs allow over the measured time.
/// The output has it and the binding roof only for measured rows with known roofs. The best of a session also
/// says how it was verified.
nlohmann::ordered_json measurement_report(const model::Measurement& measurement, const model::Work& work = {},
                                          const model::Roofs& roofs = {});

/// The same values for `--format json`.
nlohmann::ordered_json to_ordered_json(const model::Roofs& roofs);
nlohmann::ordered_json to_ordered_json(const model::Work& work);
nlohmann::ordered_json to_ordered_json(const profiling::verification::WorkContradiction& doubt);
/// The measured roofs of a GPU for `--format json`.
nlohmann::ordered_json roof_report(const std::vector<text_output::RoofRow>& rows);

}  // namespace warptune::tuner::json_output
