#include "tuner/json_output/json_codec.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "model/fields.h"
#include "model/own_metrics.h"
#include "tuner/protocol/json_fields.h"
#include "tuner/session/finals/verification.h"

namespace warptune::tuner::json_output {

using nlohmann::json;
using nlohmann::ordered_json;

json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json to_json(const model::Value& value) { return protocol::json_of(value); }
json to_json(const model::GpuDescription& gpu) { return protocol::json_of(gpu); }
json to_json(const model::Environment& environment) {
  json report = protocol::json_of(environment);
  report["driver_version"] = model::stored_number(environment.driver_version);
  return report;
}

ordered_json to_ordered_json(const model::NamedValues& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) object[name] = protocol::json_of(value);
  return object;
}

json to_json(const profiling::HotLines& lines) {
  json rows = json::array();
  for (const profiling::HotLine& line : lines.lines) {
    json stalls = json::array();
    for (const profiling::StallSamples& stall : line.stalls) stalls.push_back({stall.reason, stall.samples});
    rows.push_back({{"file", line.line.file},
                    {"line", line.line.number},
                    {"text", line.text},
                    {"samples", line.samples},
                    {"share", line.share},
                    {"stalls", std::move(stalls)}});
  }
  return {{"lines", std::move(rows)},
          {"samples", lines.samples},
          {"dropped", lines.dropped},
          {"launches", lines.launches},
          {"problem", lines.problem}};
}

std::string to_text(const ordered_json& report) {
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json pareto_report(const std::vector<text_output::ParetoPoint>& points,
                           const model::Objective& objective) {
  ordered_json report = ordered_json::array();
  for (const text_output::ParetoPoint& point : points) {
    ordered_json row;
    for (std::size_t i = 0; i < point.values.size(); ++i)
      row["values"][objective.parts()[i]] = point.values[i];
    row["configuration"] = to_ordered_json(point.measurement.configuration);
    row["median_ns"] = finite_or_null(point.measurement.time.median_ns);
    row["low_ns"] = finite_or_null(point.measurement.time.low_ns);
    row["high_ns"] = finite_or_null(point.measurement.time.high_ns);
    report.push_back(std::move(row));
  }
  return report;
}

ordered_json to_ordered_json(const model::Roofs& roofs) {
  ordered_json report = ordered_json::object();
  model::visit_first_names(
      roofs, [&](const char* name, const auto& value) { report[name] = model::stored_number(value); });
  return report;
}

ordered_json roof_report(const std::vector<text_output::RoofRow>& rows) {
  ordered_json report = ordered_json::array();
  for (const text_output::RoofRow& row : rows) {
    const bool is_memory = model::find_roof(row.reading.name)->is_memory;
    const double sm_clock_mhz = model::stored_number(row.reading.sm_clock_mhz);
    ordered_json form = {{"roof", row.reading.name},
                         {"value", row.reading.value},
                         {"unit", is_memory ? "byte/s" : "FLOP/s"},
                         {"relative_spread", row.reading.relative_spread},
                         {"sm_clock_mhz", sm_clock_mhz},
                         {"time_stamp_ms", row.reading.time_stamp_ms},
                         {"driver_version", model::stored_number(row.reading.driver_version)}};
    if (row.theory) form["theory"] = *row.theory;
    if (row.ridge_flops_per_byte) form["ridge_flops_per_byte"] = *row.ridge_flops_per_byte;
    if (!row.note.empty()) form["note"] = row.note;
    report.push_back(std::move(form));
  }
  return report;
}

ordered_json to_ordered_json(const model::Work& work) {
  return {{"flops", work.flops},
          {"bytes", work.bytes},
          {"unit", model::to_string(work.unit)},
          {"written_share", model::stored_number(work.written_share)}};
}

ordered_json to_ordered_json(const profiling::verification::WorkContradiction& doubt) {
  return {{"text", doubt.text}, {"file", doubt.position.file}, {"line", doubt.position.line}};
}

namespace {

ordered_json resource_report(const model::ResourceUse& use) {
  ordered_json report = protocol::json_of(use);
  report["blocks_per_sm"] = model::stored_number(use.blocks_per_sm);
  report["theoretical_occupancy"] = model::stored_number(use.theoretical_occupancy);
  return report;
}

ordered_json verification_report(const session::finals::Verification& verification) {
  ordered_json report = {{"launches", verification.launches},
                         {"chance_of_detection",
                          {{"one_in", session::finals::Verification::kLaunchesPerError},
                           {"chance", verification.chance_of_detection}}},
                         {"nondeterministic", verification.nondeterministic()},
                         {model::own_metric::kDeviatingLaunches, verification.deviating}};
  if (verification.deviation_of_tolerance)
    report[model::own_metric::kDeviationOfTolerance] = *verification.deviation_of_tolerance;
  return report;
}

}  // namespace

ordered_json measurement_report(const model::Measurement& measurement, const model::Work& work,
                                const model::Roofs& roofs) {
  ordered_json report;
  report["configuration"] = to_ordered_json(measurement.configuration);
  report["status"] = model::to_string(measurement.status);
  if (!measurement.reason.empty()) report["reason"] = measurement.reason;
  report["replayed"] = measurement.replayed;
  report["median_ns"] = finite_or_null(measurement.time.median_ns);
  report["low_ns"] = finite_or_null(measurement.time.low_ns);
  report["high_ns"] = finite_or_null(measurement.time.high_ns);
  report["samples"] = measurement.samples_ns.size();
  const std::optional<double> roof_ns = model::roof_time_ns(work, roofs);
  if (roof_ns && measurement.status == model::Status::kMeasured) {
    report["roof_share"] = *roof_ns / measurement.time.median_ns;
    report["binding_roof"] = model::to_string(model::binding_roof(work, roofs));
  }
  if (const std::optional<session::finals::Verification> verification =
          session::finals::verification_of(measurement.counters))
    report["verification"] = verification_report(*verification);
  report["resources"] = resource_report(measurement.resources);
  report["counters"] = ordered_json::object();
  for (const auto& [name, value] : measurement.counters) report["counters"][name] = finite_or_null(value);
  return report;
}

}  // namespace warptune::tuner::json_output
