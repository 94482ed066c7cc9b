#include "tuner/detail/json_forms.h"

#include <cmath>
#include <limits>
#include <variant>

#include "base/error.h"
#include "search/fields.h"

namespace warptune::tuner::detail {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

search::Value value_of(const json& form) {
  if (form.is_boolean()) return form.get<bool>();
  if (form.is_number_integer()) return form.get<std::int64_t>();
  if (form.is_number_float()) return form.get<double>();
  return form.get<std::string>();
}

// JSON has no NaN; null stands for it.
json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
double number_of(const json& form) {
  return form.is_null() ? std::numeric_limits<double>::quiet_NaN() : form.get<double>();
}

// One member of an object: written, or read.
struct Writer {
  json& form;
  template <class T>
  void operator()(const char* name, const T& value) const {
    form[name] = value;
  }
};
struct Reader {
  const json& form;
  template <class T>
  void operator()(const char* name, T& value) const {
    form.at(name).get_to(value);
  }
};

json to_json(const search::ResourceUse& use) {
  json form;
  visit_fields(use, Writer{form});
  return form;
}

search::ResourceUse resources_of(const json& form) {
  search::ResourceUse use;
  visit_fields(use, Reader{form});
  return use;
}

}  // namespace

json to_json(const search::Value& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

json to_json(const search::NamedValues& values) {
  json list = json::array();
  for (const auto& [name, value] : values) list.push_back({name, to_json(value)});
  return list;
}

ordered_json to_ordered_json(const search::NamedValues& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) object[name] = to_json(value);
  return object;
}

search::NamedValues named_values_of(const json& form) {
  search::NamedValues values;
  for (const json& row : form) values.emplace_back(row.at(0).get<std::string>(), value_of(row.at(1)));
  return values;
}

json to_json(const search::Measurement& measurement) {
  json samples = json::array();
  for (const double sample : measurement.samples_ns) samples.push_back(finite(sample));
  json counters = json::object();
  for (const auto& [name, value] : measurement.counters) counters[name] = finite(value);
  return {{"configuration", to_json(measurement.configuration)},
          {"status", search::to_string(measurement.status)},
          {"reason", measurement.reason},
          {"time",
           {finite(measurement.time.median_ns), finite(measurement.time.low_ns),
            finite(measurement.time.high_ns)}},
          {"samples", samples},
          {"resources", to_json(measurement.resources)},
          {"counters", counters},
          {"compile_ms", measurement.compile_ms},
          {"measure_ms", measurement.measure_ms},
          {"time_stamp_ms", measurement.time_stamp_ms}};
}

search::Measurement measurement_of(const json& form) {
  search::Measurement measurement;
  measurement.configuration = named_values_of(form.at("configuration"));
  measurement.status =
      search::parse_status(form.at("status").get<std::string>()).value_or(search::Status::kWorkerDied);
  form.at("reason").get_to(measurement.reason);
  const json& time = form.at("time");
  measurement.time = {number_of(time.at(0)), number_of(time.at(1)), number_of(time.at(2))};
  for (const json& sample : form.at("samples")) measurement.samples_ns.push_back(number_of(sample));
  measurement.resources = resources_of(form.at("resources"));
  for (const auto& [name, value] : form.at("counters").items()) measurement.counters[name] = number_of(value);
  form.at("compile_ms").get_to(measurement.compile_ms);
  form.at("measure_ms").get_to(measurement.measure_ms);
  form.at("time_stamp_ms").get_to(measurement.time_stamp_ms);
  return measurement;
}

json to_json(const search::GpuDescription& gpu) {
  json form;
  visit_fields(gpu, Writer{form});
  return form;
}

search::GpuDescription gpu_of(const json& form) {
  search::GpuDescription gpu;
  visit_fields(gpu, Reader{form});
  return gpu;
}

json to_json(const search::Environment& environment) {
  json form;
  visit_fields(environment, Writer{form});
  return form;
}

search::Environment environment_of(const json& form) {
  search::Environment environment;
  visit_fields(environment, Reader{form});
  return environment;
}

json to_json(const std::vector<search::RoofReading>& readings) {
  json list = json::array();
  for (const search::RoofReading& reading : readings) {
    json form;
    visit_fields(reading, Writer{form});
    list.push_back(std::move(form));
  }
  return list;
}

std::vector<search::RoofReading> roof_readings_of(const json& form) {
  std::vector<search::RoofReading> readings;
  readings.reserve(form.size());
  for (const json& row : form) visit_fields(readings.emplace_back(), Reader{row});
  return readings;
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

profiling::HotLines hot_lines_of(const json& form) {
  profiling::HotLines lines;
  lines.lines.reserve(form.at("lines").size());
  for (const json& row : form.at("lines")) {
    profiling::HotLine& line = lines.lines.emplace_back();
    row.at("file").get_to(line.line.file);
    row.at("line").get_to(line.line.number);
    row.at("text").get_to(line.text);
    row.at("samples").get_to(line.samples);
    row.at("share").get_to(line.share);
    line.stalls.reserve(row.at("stalls").size());
    for (const json& stall : row.at("stalls"))
      line.stalls.push_back({stall.at(0).get<std::string>(), stall.at(1).get<std::uint64_t>()});
  }
  form.at("samples").get_to(lines.samples);
  form.at("dropped").get_to(lines.dropped);
  form.at("launches").get_to(lines.launches);
  form.at("problem").get_to(lines.problem);
  return lines;
}

json to_json(const kernel_templates::CompileRequest& request) {
  return {{"program_name", request.program_name}, {"source", request.source},
          {"entries", request.entries},           {"options", request.options},
          {"architecture", request.architecture}, {"libraries", request.libraries},
          {"variables", request.variables}};
}

kernel_templates::CompileRequest compile_request_of(const json& form) {
  kernel_templates::CompileRequest request;
  form.at("program_name").get_to(request.program_name);
  form.at("source").get_to(request.source);
  form.at("entries").get_to(request.entries);
  form.at("options").get_to(request.options);
  form.at("architecture").get_to(request.architecture);
  form.at("libraries").get_to(request.libraries);
  form.at("variables").get_to(request.variables);
  return request;
}

json to_json(const kernel_templates::CompiledKernel& compiled) {
  json entries = json::array();
  for (const kernel_templates::EntryCode& entry : compiled.entries) {
    entries.push_back({{"entry", entry.entry},
                       {"lowered_name", entry.lowered_name},
                       {"registers_per_thread", entry.registers_per_thread},
                       {"static_shared_bytes", entry.static_shared_bytes},
                       {"local_bytes", entry.local_bytes},
                       {"spill_bytes", entry.spill_bytes}});
  }
  json variables = json::array();
  for (const kernel_templates::VariableCode& variable : compiled.variables)
    variables.push_back({variable.variable, variable.lowered_name});
  return {{"cubin", json::binary({compiled.cubin.begin(), compiled.cubin.end()})},
          {"entries", entries},
          {"variables", variables},
          {"log", compiled.log},
          {"compile_ms", compiled.compile_ms},
          {"from_cache", compiled.from_cache}};
}

kernel_templates::CompiledKernel compiled_of(const json& form) {
  kernel_templates::CompiledKernel compiled;
  const json::binary_t& cubin = form.at("cubin").get_binary();
  compiled.cubin.assign(cubin.begin(), cubin.end());
  for (const json& row : form.at("entries")) {
    kernel_templates::EntryCode entry;
    row.at("entry").get_to(entry.entry);
    row.at("lowered_name").get_to(entry.lowered_name);
    row.at("registers_per_thread").get_to(entry.registers_per_thread);
    row.at("static_shared_bytes").get_to(entry.static_shared_bytes);
    row.at("local_bytes").get_to(entry.local_bytes);
    row.at("spill_bytes").get_to(entry.spill_bytes);
    compiled.entries.push_back(std::move(entry));
  }
  for (const json& row : form.at("variables"))
    compiled.variables.push_back({row.at(0).get<std::string>(), row.at(1).get<std::string>()});
  form.at("log").get_to(compiled.log);
  form.at("compile_ms").get_to(compiled.compile_ms);
  form.at("from_cache").get_to(compiled.from_cache);
  return compiled;
}

std::string to_text(const ordered_json& report) {
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json pareto_report(const std::vector<ParetoPoint>& points, const search::Objective& objective) {
  ordered_json report = ordered_json::array();
  for (const ParetoPoint& point : points) {
    ordered_json row;
    for (std::size_t i = 0; i < point.values.size(); ++i)
      row["values"][objective.parts()[i]] = point.values[i];
    row["configuration"] = to_ordered_json(point.measurement.configuration);
    row["median_ns"] = finite(point.measurement.time.median_ns);
    row["low_ns"] = finite(point.measurement.time.low_ns);
    row["high_ns"] = finite(point.measurement.time.high_ns);
    report.push_back(std::move(row));
  }
  return report;
}

ordered_json to_ordered_json(const search::Roofs& roofs) {
  ordered_json report = ordered_json::object();
  visit_first_names(roofs, [&](const char* name, double value) { report[name] = value; });
  return report;
}

ordered_json roof_report(const std::vector<RoofRow>& rows) {
  ordered_json report = ordered_json::array();
  for (const RoofRow& row : rows) {
    const bool is_memory = search::find_roof(row.reading.name)->is_memory;
    ordered_json form = {{"roof", row.reading.name},
                         {"value", row.reading.value},
                         {"unit", is_memory ? "byte/s" : "FLOP/s"},
                         {"relative_spread", row.reading.relative_spread},
                         {"sm_clock_mhz", row.reading.sm_clock_mhz},
                         {"time_stamp_ms", row.reading.time_stamp_ms},
                         {"driver_version", row.reading.driver_version}};
    if (row.theory > 0.0) form["theory"] = row.theory;
    if (row.ridge_flops_per_byte > 0.0) form["ridge_flops_per_byte"] = row.ridge_flops_per_byte;
    if (!row.note.empty()) form["note"] = row.note;
    report.push_back(std::move(form));
  }
  return report;
}

ordered_json to_ordered_json(const search::Work& work) {
  return {{"flops", work.flops},
          {"bytes", work.bytes},
          {"unit", search::to_string(work.unit)},
          {"written_share", work.written_share}};
}

ordered_json measurement_report(const search::Measurement& measurement, const search::Work& work,
                                const search::Roofs& roofs) {
  ordered_json report;
  report["configuration"] = to_ordered_json(measurement.configuration);
  report["status"] = search::to_string(measurement.status);
  if (!measurement.reason.empty()) report["reason"] = measurement.reason;
  report["median_ns"] = finite(measurement.time.median_ns);
  report["low_ns"] = finite(measurement.time.low_ns);
  report["high_ns"] = finite(measurement.time.high_ns);
  report["samples"] = measurement.samples_ns.size();
  const double roof_ns = search::roof_time_ns(work, roofs);
  if (roof_ns > 0.0 && measurement.status == search::Status::kMeasured) {
    report["roof_share"] = roof_ns / measurement.time.median_ns;
    report["binding_roof"] = search::to_string(search::binding_roof(work, roofs));
  }
  report["resources"] = to_json(measurement.resources);
  report["counters"] = ordered_json::object();
  for (const auto& [name, value] : measurement.counters) report["counters"][name] = finite(value);
  return report;
}

}  // namespace warptune::tuner::detail
