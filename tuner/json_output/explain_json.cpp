#include "tuner/json_output/explain_json.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/next_steps_json.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/json_output/surveys/program_steps_json.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

// The name of a metric in JSON. Expressions of objectives have short names for three members of `resources`.
std::string metric_name(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kResources = {
      {{"registers", "registers_per_thread"},
       {"threads", "threads_per_block"},
       {"occupancy", "theoretical_occupancy"}}};
  for (const auto& [short_name, full_name] : kResources) {
    if (name == short_name) return std::string(full_name);
  }
  return name;
}

ordered_json change_json(const search::analysis::ParameterStep& change) {
  return {{"parameter", change.name}, {"from", value_json(change.from)}, {"to", value_json(change.to)}};
}

ordered_json step_json(const explaining::ExplainedStep& step) {
  ordered_json report;
  report["changes"] = ordered_json::array();
  for (const search::analysis::ParameterStep& change : step.step.changes)
    report["changes"].push_back(change_json(change));
  report["grouping"] = search::analysis::to_string(step.step.grouping);
  report["time_before_ns"] = finite_or_null(model::median_ns_of(step.before));
  report["time_after_ns"] = finite_or_null(model::median_ns_of(step.step.after));
  report["estimate"] = step.step.after.status == model::Status::kDropped;
  report["time_ratio"] = finite_or_null(step.ratio);
  report["share_of_log_gain"] = finite_or_null(step.share);
  report["within_noise"] = step.within_noise;
  report["metrics"] = ordered_json::array();
  for (const search::analysis::MetricChange& metric : step.metrics) {
    report["metrics"].push_back({{"metric", metric_name(metric.name)},
                                 {"before", finite_or_null(metric.before)},
                                 {"after", finite_or_null(metric.after)}});
  }
  report["modelled"] = ordered_json::array();
  for (const explaining::ModelledChange& modelled : step.modelled) {
    ordered_json change = change_json(modelled.change);
    change["time_ratio"] = finite_or_null(modelled.ratio);
    report["modelled"].push_back(std::move(change));
  }
  report["everywhere"] = step.everywhere ? effect_json(*step.everywhere) : ordered_json(nullptr);
  report["configuration"] = values_json(step.step.after.configuration);
  return report;
}

ordered_json importance_json(const std::optional<search::analysis::ModelledImportance>& modelled,
                             const std::vector<model::Parameter>& parameters) {
  if (!modelled) return nullptr;
  const search::models::ForestError& error = modelled->model->error();
  ordered_json report = {{"rows", modelled->rows},
                         {"configurations", modelled->importance.configurations},
                         {"median_relative_error", finite_or_null(error.median_relative_error)},
                         {"r_squared", finite_or_null(error.r_squared)},
                         {"variance_of_log_time", finite_or_null(modelled->importance.variance)}};
  report["parameter_shares"] = ordered_json::object();
  for (std::size_t p = 0; p < parameters.size(); ++p)
    report["parameter_shares"][parameters[p].name] = finite_or_null(modelled->importance.by_parameter[p]);
  report["pairs"] = ordered_json::array();
  for (const search::analysis::PairShare& pair : modelled->importance.pairs) {
    report["pairs"].push_back({{"first", parameters[pair.first].name},
                               {"second", parameters[pair.second].name},
                               {"share", finite_or_null(pair.share)}});
  }
  report["rest_share"] = finite_or_null(modelled->importance.rest);
  return report;
}

// An end of the path. `title` says whether it is the default, the best, or one that the user named.
ordered_json end_json(const std::string& title, const std::optional<model::Measurement>& measurement,
                      const std::optional<profiling::diagnosis::Diagnosis>& diagnosis,
                      const std::optional<explaining::TracedProgram>& program,
                      const model::Recording& recording) {
  return {{"title", title},
          {"measurement", measurement_json(measurement, recording.work, recording.roofs)},
          {"diagnosis", diagnosis_json(diagnosis)},
          {"program", surveys::program_steps_json(program)}};
}

}  // namespace

ordered_json path_json(const explaining::Explanation& explanation) {
  ordered_json path = {{"arrived", explanation.arrived}, {"not_measured", explanation.not_measured}};
  path["steps"] = ordered_json::array();
  for (const explaining::ExplainedStep& step : explanation.steps) path["steps"].push_back(step_json(step));
  return path;
}

ordered_json explanation_json(const text_output::ExplainedWorkload& workload,
                              const explaining::Explanation& explanation) {
  const model::Recording& recording = *workload.recording;
  ordered_json report = json_head("explain");
  report["workload"] = workload_json(recording.workload);
  report["origin"] = workload.origin;
  report["session_id"] = value_or_null(workload.session);
  report["objective"] = "time";
  report["work"] = work_json(recording.work);
  report["roofs"] = roofs_json(recording.roofs);
  report["evaluated"] = explanation.rows;
  report["timed"] = explanation.timed;
  report["estimated"] = explanation.estimated;
  report["has_counters"] = explanation.has_counters;
  report["measured_now"] = explanation.measured_now;
  report["notes"] = explanation.notes;
  report["from"] = end_json(explanation.from_title, explanation.from, explanation.from_diagnosis,
                            explanation.from_program, recording);
  report["to"] = end_json(explanation.to_title, explanation.to, explanation.to_diagnosis,
                          explanation.to_program, recording);
  report["path"] = path_json(explanation);
  report["importance"] = {{"over_space", importance_json(explanation.over_space, recording.parameters)},
                          {"near_best", importance_json(explanation.near_best, recording.parameters)}};
  report["next_steps"] = next_steps_json(explanation.next_steps);
  return report;
}

}  // namespace warptune::tuner::json_output
