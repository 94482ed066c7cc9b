// The data of a report as JSON: the workloads with parameters, rows and roofs, and the meaning of the
// counters.
#include "tuner/html_report/report_data.h"

#include <optional>
#include <set>

#include "base/version.h"
#include "model/fields.h"
#include "model/row_sources.h"
#include "profiling/counters/metrics.h"
#include "tuner/html_report/report_analysis.h"
#include "tuner/html_report/report_numbers.h"
#include "tuner/html_report/report_rows.h"
#include "tuner/html_report/report_sessions.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::html_report {

namespace {

using model::Measurement;
using model::Status;
using nlohmann::ordered_json;

ordered_json parameters_as_json(const model::Recording& recording) {
  ordered_json list = ordered_json::array();
  for (const model::Parameter& parameter : recording.parameters)
    list.push_back(
        json_output::parameter_json(parameter, model::find(recording.default_configuration, parameter.name)));
  return list;
}

// The known roofs. The measured FP32 roof comes before the theoretical one.
ordered_json roofs_of(const model::Roofs& roofs) {
  ordered_json list = ordered_json::array();
  const auto add = [&](const char* name, const char* kind, std::optional<double> value, bool measured) {
    if (!value) return;
    list.push_back({{"name", name},
                    {"kind", kind},
                    {"per_second", report_number(*value, kTimeDigits)},
                    {"measured", measured}});
  };
  add("copy", "memory", roofs.copy_bytes_per_s, true);
  add("read", "memory", roofs.read_bytes_per_s, true);
  add("FP32", "compute", roofs.fp32_measured_flops_per_s, true);
  add("FP32", "compute", roofs.fp32_theory_flops_per_s, false);
  add("FP64", "compute", roofs.fp64_flops_per_s, true);
  add("tensor", "compute", roofs.tensor_flops_per_s, true);
  return list;
}

// The source and the lines at which the GPU's sampler found warps. Null if both are unknown.
ordered_json source_json(const ReportWorkload& workload) {
  if (!workload.source && workload.hot_lines.empty()) return nullptr;
  ordered_json form = {{"file", nullptr}, {"text", nullptr}, {"profiles", ordered_json::array()}};
  if (workload.source) {
    form["file"] = workload.source->file;
    form["text"] = workload.source->text;
  }
  for (const ReportedHotLines& hot : workload.hot_lines) {
    form["profiles"].push_back({{"configuration", json_output::values_json(hot.configuration)},
                                {"hot_lines", json_output::hot_lines_json(hot.lines)}});
  }
  return form;
}

// The row of the default. It is null if its source ranks below the best one, because the report compares the
// default with the best.
ordered_json default_place(const model::Recording& recording, const std::vector<const Measurement*>& rows) {
  ordered_json place = place_of(recording.default_configuration, rows);
  const std::optional<model::RowSource> best = model::best_source(rows);
  if (!place.is_null() && rows[place.get<std::size_t>()]->source > *best) return nullptr;
  return place;
}

ordered_json reported_workload_json(const ReportWorkload& workload) {
  const model::Recording& recording = workload.recording;
  const std::vector<const Measurement*> rows = ordered_rows(recording);
  ordered_json form = json_output::workload_json(recording.workload);
  form["origin"] = workload.origin;
  form["work"] = json_output::work_json(recording.work);
  form["roofs"] = roofs_of(recording.roofs);
  form["roof_time_ns"] =
      report_number(model::roof_time_ns(recording.work, recording.roofs).value_or(0.0), kTimeDigits);
  form["binding_roof"] = model::to_string(model::binding_roof(recording.work, recording.roofs));
  form["parameters"] = parameters_as_json(recording);
  form["best"] = place_of(workload.best_configuration, rows);
  form["default"] = default_place(recording, rows);
  form["sample"] = nullptr;
  if (workload.total_rows) form["sample"] = knowledge::sample_text(rows.size(), *workload.total_rows);
  form["rows"] = row_columns(recording, rows);
  add_reasons(form, rows);
  add_sessions(form, workload, rows);
  form["resources"] = resource_columns(rows);
  form["counters"] = counter_columns(rows);
  const explaining::Explanation explanation = explanation_of(workload);
  form["analysis"] = parameter_analysis(workload, explanation);
  form["diagnoses"] = diagnoses_of(explanation);
  form["source"] = source_json(workload);
  return form;
}

ordered_json metrics_as_json(const std::vector<ReportWorkload>& workloads) {
  std::set<std::string> present;
  for (const ReportWorkload& workload : workloads) {
    for (const Measurement& row : workload.recording.measurements) {
      for (const auto& [name, value] : row.counters) present.insert(name);
    }
  }
  ordered_json list = ordered_json::object();
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    const std::string name(metric.name);
    if (present.count(name) == 0) continue;
    list[name] = {{"title", metric.title},
                  {"unit", metric.unit},
                  {"description", metric.description},
                  {"core", metric.core}};
  }
  return list;
}

}  // namespace

std::string report_json(const std::vector<ReportWorkload>& workloads, std::int64_t written_ms) {
  ordered_json form = json_output::json_head("report");
  form["warptune_version"] = base::kVersion;
  form["written_ms"] = written_ms;
  form["statuses"] = ordered_json::array();
  for (const Status status : model::all_statuses()) form["statuses"].push_back(model::to_string(status));
  form["metrics"] = metrics_as_json(workloads);
  form["workloads"] = ordered_json::array();
  for (const ReportWorkload& workload : workloads)
    form["workloads"].push_back(reported_workload_json(workload));
  return json_output::to_line(form);
}

}  // namespace warptune::tuner::html_report
