#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "profiling/hot_lines.h"
#include "search/measurement.h"
#include "search/roof_reading.h"
#include "search/value.h"
#include "tuner/report.h"

/// JSON forms of what crosses processes and of `--format json`. Reading throws nlohmann's exceptions on a
/// wrong shape: only our own processes write what is read here.
namespace warptune::tuner::detail {

nlohmann::json to_json(const search::Value& value);
/// An object in the order given.
nlohmann::ordered_json to_ordered_json(const search::NamedValues& values);
/// A list of [name, value]: keeps the order through any parser.
nlohmann::json to_json(const search::NamedValues& values);
nlohmann::json to_json(const search::Measurement& measurement);
nlohmann::json to_json(const search::GpuDescription& gpu);
nlohmann::json to_json(const search::Environment& environment);
nlohmann::json to_json(const std::vector<search::RoofReading>& readings);
nlohmann::json to_json(const profiling::HotLines& lines);
nlohmann::json to_json(const kernel_templates::CompileRequest& request);
nlohmann::json to_json(const kernel_templates::CompiledKernel& compiled);

search::NamedValues named_values_of(const nlohmann::json& json);
search::Measurement measurement_of(const nlohmann::json& json);
search::GpuDescription gpu_of(const nlohmann::json& json);
search::Environment environment_of(const nlohmann::json& json);
std::vector<search::RoofReading> roof_readings_of(const nlohmann::json& json);
profiling::HotLines hot_lines_of(const nlohmann::json& json);
kernel_templates::CompileRequest compile_request_of(const nlohmann::json& json);
kernel_templates::CompiledKernel compiled_of(const nlohmann::json& json);

/// Text of a report, indented; bytes that are no UTF-8 (a compiler quoting a source) become U+FFFD.
std::string to_text(const nlohmann::ordered_json& report);

/// What `--format json` says of a Pareto front: the value of each part of the objective, configuration, time.
nlohmann::ordered_json pareto_report(const std::vector<ParetoPoint>& points,
                                     const search::Objective& objective);

/// For people's programs: what `--format json` says of one measurement.
/// With its share of the roof (`roof_share`, 0.9 of the least time) and which binds, where those are known
/// and it was measured.
nlohmann::ordered_json measurement_report(const search::Measurement& measurement,
                                          const search::Work& work = {}, const search::Roofs& roofs = {});

/// For people's programs, too.
nlohmann::ordered_json to_ordered_json(const search::Roofs& roofs);
nlohmann::ordered_json to_ordered_json(const search::Work& work);

}  // namespace warptune::tuner::detail
