#include "tuner/json_output/shared_objects.h"

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/fields.h"
#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

// A member of a type that `visit_fields` lists.
template <class Member>
ordered_json member_json(const Member& member) {
  if constexpr (std::is_floating_point_v<Member>) {
    return finite_or_null(member);
  } else {
    return member;
  }
}

template <class Member>
ordered_json member_json(const std::optional<Member>& member) {
  return member ? member_json(*member) : ordered_json(nullptr);
}

// All members by their names, in order.
template <class Object>
ordered_json fields_json(const Object& object) {
  ordered_json json = ordered_json::object();
  model::visit_fields(object,
                      [&](const char* name, const auto& member) { json[name] = member_json(member); });
  return json;
}

// Files of other tuners and of earlier versions lack some members, which are 0 or empty after reading.
void null_for_unknown(ordered_json& json) {
  for (auto& member : json) {
    if (member == 0 || member == "") member = nullptr;
  }
}

}  // namespace

ordered_json value_json(const model::Value& value) {
  return std::visit([](const auto& held) { return member_json(held); }, value);
}

ordered_json values_json(const model::NamedValues& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) object[name] = value_json(value);
  return object;
}

ordered_json gpu_json(const model::GpuDescription& gpu) {
  ordered_json json = fields_json(gpu);
  null_for_unknown(json);
  // If there is a major version, a minor version of 0 is a real one.
  const bool is_known = gpu.compute_major > 0;
  json["compute_minor"] = is_known ? ordered_json(gpu.compute_minor) : ordered_json(nullptr);
  json["architecture"] = is_known ? ordered_json(gpu.architecture()) : ordered_json(nullptr);
  json["key"] = gpu.key();
  return json;
}

ordered_json environment_json(const model::Environment& environment) {
  ordered_json json = fields_json(environment);
  null_for_unknown(json);
  return json;
}

ordered_json passed_over_json(const model::NamedValues& configuration,
                              const model::outputs::ReproducibilityVerdict& verdict) {
  return {{"configuration", values_json(configuration)},
          {"known", verdict.kind == model::outputs::ReproducibilityVerdict::Kind::kUnmet},
          {"reason", verdict.reason}};
}

ordered_json workload_json(const model::Workload& workload) {
  return {{"kernel", workload.kernel},
          {"kernel_hash", text_or_null(workload.kernel_hash)},
          {"problem", values_json(workload.problem)},
          {"gpu", gpu_json(workload.gpu)},
          {"cache", model::to_string(workload.cache)}};
}

ordered_json roofs_json(const model::Roofs& roofs) { return fields_json(roofs); }

ordered_json work_json(const model::Work& work) {
  return {{"flops", work.flops},
          {"bytes", work.bytes},
          {"arithmetic_unit", model::to_string(work.unit)},
          {"written_share", finite_or_null(work.written_share)}};
}

ordered_json resources_json(const model::ResourceUse& use) {
  if (use.threads_per_block == 0 && use.registers_per_thread == 0) return nullptr;
  return fields_json(use);
}

ordered_json counters_json(const model::Counters& counters) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : counters) object[name] = finite_or_null(value);
  return object;
}

ordered_json parameter_json(const model::Parameter& parameter, const model::Value* fallback) {
  ordered_json values = ordered_json::array();
  for (const model::Value& value : parameter.values) values.push_back(value_json(value));
  return {{"name", parameter.name},
          {"description", parameter.description},
          {"values", std::move(values)},
          {"default", fallback == nullptr ? ordered_json(nullptr) : value_json(*fallback)}};
}

ordered_json place_json(const base::SourcePosition& position) {
  if (position.file.empty()) return nullptr;
  return {{"file", position.file},
          {"line", known_or_null(position.line)},
          {"column", known_or_null(position.column)}};
}

ordered_json work_doubt_json(const profiling::verification::WorkContradiction& doubt) {
  return {{"message", doubt.text}, {"place", place_json(doubt.position)}};
}

ordered_json hot_lines_json(const profiling::HotLines& hot) {
  ordered_json lines = ordered_json::array();
  for (const profiling::HotLine& line : hot.lines) {
    ordered_json stalls = ordered_json::object();
    for (const profiling::StallSamples& stall : line.stalls) stalls[stall.reason] = stall.samples;
    lines.push_back({{"file", line.line.file},
                     {"line", known_or_null(line.line.number)},
                     {"text", line.text},
                     {"samples", line.samples},
                     {"samples_share", line.share},
                     {"stalls", std::move(stalls)}});
  }
  return {{"samples", hot.samples},
          {"dropped_samples", hot.dropped},
          {"launches", hot.launches},
          {"problem", text_or_null(hot.problem)},
          {"lines", std::move(lines)}};
}

ordered_json roof_readings_json(const std::vector<text_output::RoofRow>& rows) {
  ordered_json report = ordered_json::array();
  for (const text_output::RoofRow& row : rows) {
    const ordered_json sm_clock_mhz = finite_or_null(row.reading.sm_clock_mhz);
    report.push_back({{"roof", row.reading.name},
                      {"value", row.reading.value},
                      {"unit", text_output::reading_unit(row.reading)},
                      {"relative_spread", row.reading.relative_spread},
                      {"theory_value", finite_or_null(row.theory)},
                      {"ridge_flops_per_byte", finite_or_null(row.ridge_flops_per_byte)},
                      {"sm_clock_mhz", sm_clock_mhz},
                      {"time_stamp_ms", row.reading.time_stamp_ms},
                      {"driver_version", value_or_null(row.reading.driver_version)},
                      {"note", text_or_null(row.note)}});
  }
  return report;
}

}  // namespace warptune::tuner::json_output
