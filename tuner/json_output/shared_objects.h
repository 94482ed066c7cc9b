#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "model/parameter.h"
#include "model/value.h"
#include "profiling/hot_lines.h"
#include "profiling/verification/plausibility.h"
#include "tuner/text_output/roof_text.h"

/// The objects that occur in several JSON outputs. Each has one function, and one definition in
/// `schemas/shared.schema.json`.
namespace warptune::tuner::json_output {

nlohmann::ordered_json value_json(const model::Value& value);
/// A configuration or a problem: an object whose keys keep the order of `values`.
nlohmann::ordered_json values_json(const model::NamedValues& values);
nlohmann::ordered_json gpu_json(const model::GpuDescription& gpu);
nlohmann::ordered_json environment_json(const model::Environment& environment);
nlohmann::ordered_json workload_json(const model::Workload& workload);
/// A row that was passed over because of its outputs.
nlohmann::ordered_json passed_over_json(const model::NamedValues& configuration,
                                        const model::outputs::ReproducibilityVerdict& verdict);
nlohmann::ordered_json roofs_json(const model::Roofs& roofs);
nlohmann::ordered_json work_json(const model::Work& work);
/// Null where nothing was compiled.
nlohmann::ordered_json resources_json(const model::ResourceUse& use);
nlohmann::ordered_json counters_json(const model::Counters& counters);
/// A parameter of a space with its values. `fallback` is its value in the default configuration, or null.
nlohmann::ordered_json parameter_json(const model::Parameter& parameter, const model::Value* fallback);
/// A place in a file, or null if the file is unknown.
nlohmann::ordered_json place_json(const base::SourcePosition& position);
nlohmann::ordered_json work_doubt_json(const profiling::verification::WorkContradiction& doubt);
nlohmann::ordered_json hot_lines_json(const profiling::HotLines& lines);
/// Each measured roof of a GPU with its spread, SM clock and time stamp. `roofs_json` has only the values.
nlohmann::ordered_json roof_readings_json(const std::vector<text_output::RoofRow>& rows);

}  // namespace warptune::tuner::json_output
