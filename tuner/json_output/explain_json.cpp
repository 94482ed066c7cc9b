#include "tuner/json_output/explain_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_codec.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

ordered_json ordered_json_of(const model::Value& value) { return to_json(value); }

ordered_json ordered_json_of(const search::analysis::PairedEffect& effect) {
  return {{"pairs", effect.pairs},
          {"time_ratio", finite_or_null(effect.ratio.median)},
          {"low", finite_or_null(effect.ratio.low)},
          {"high", finite_or_null(effect.ratio.high)}};
}

ordered_json ordered_json_of(const explaining::ExplainedStep& step) {
  ordered_json report;
  report["changes"] = ordered_json::array();
  for (const search::analysis::ParameterStep& change : step.step.changes) {
    report["changes"].push_back({{"parameter", change.name},
                                 {"from", ordered_json_of(change.from)},
                                 {"to", ordered_json_of(change.to)}});
  }
  report["grouping"] = search::analysis::to_string(step.step.grouping);
  report["time_before_ns"] = step.before.time.median_ns;
  report["time_after_ns"] = step.step.after.time.median_ns;
  report["estimate"] = step.step.after.status == model::Status::kDropped;
  report["time_ratio"] = step.ratio;
  report["share_of_log_gain"] = finite_or_null(step.share);
  report["within_noise"] = step.within_noise;
  report["metrics"] = ordered_json::array();
  for (const search::analysis::MetricChange& metric : step.metrics) {
    report["metrics"].push_back({{"name", metric.name}, {"before", metric.before}, {"after", metric.after}});
  }
  for (const explaining::ModelledChange& modelled : step.modelled) {
    report["by_the_model"].push_back({{"parameter", modelled.change.name},
                                      {"from", ordered_json_of(modelled.change.from)},
                                      {"to", ordered_json_of(modelled.change.to)},
                                      {"time_ratio", modelled.ratio}});
  }
  if (step.everywhere) report["everywhere"] = ordered_json_of(*step.everywhere);
  report["configuration"] = to_ordered_json(step.step.after.configuration);
  return report;
}

ordered_json ordered_json_of(const std::optional<search::analysis::ModelledImportance>& modelled,
                             const std::vector<model::Parameter>& parameters) {
  if (!modelled) return nullptr;
  const search::models::ForestError& error = modelled->model->error();
  ordered_json report = {{"rows", modelled->rows},
                         {"configurations", modelled->importance.configurations},
                         {"median_relative_error", finite_or_null(error.median_relative_error)},
                         {"r_squared", finite_or_null(error.r_squared)},
                         {"variance_of_log_time", modelled->importance.variance}};
  for (std::size_t p = 0; p < parameters.size(); ++p)
    report["parameters"][parameters[p].name] = modelled->importance.by_parameter[p];
  report["pairs"] = ordered_json::array();
  for (const search::analysis::PairShare& pair : modelled->importance.pairs) {
    report["pairs"].push_back({{"first", parameters[pair.first].name},
                               {"second", parameters[pair.second].name},
                               {"share", pair.share}});
  }
  report["rest"] = modelled->importance.rest;
  return report;
}

ordered_json ordered_json_of(const search::analysis::NextSteps& next_steps) {
  ordered_json report;
  if (next_steps.roof_share > 0.0) report["of_roof"] = next_steps.roof_share;
  for (const char* kind : {"borders", "blocked", "idle", "failing", "slow"})
    report[kind] = ordered_json::array();
  for (const search::analysis::BorderTrend& trend : next_steps.borders) {
    ordered_json border = {{"parameter", trend.parameter},
                           {"value", ordered_json_of(trend.value)},
                           {"inside", ordered_json_of(trend.inside)},
                           {"next", ordered_json_of(trend.next)},
                           {"effect", ordered_json_of(trend.effect)},
                           {"limit", trend.limit}};
    if (trend.best_ratio) border["best_time_ratio"] = *trend.best_ratio;
    if (trend.model_ratio > 0.0) border["model_time_ratio"] = trend.model_ratio;
    report["borders"].push_back(std::move(border));
  }
  for (const search::analysis::BlockedValue& blocked : next_steps.blocked) {
    report["blocked"].push_back({{"parameter", blocked.parameter},
                                 {"value", ordered_json_of(blocked.value)},
                                 {"best_value", ordered_json_of(blocked.best_value)},
                                 {"effect", ordered_json_of(blocked.effect)},
                                 {"limit", blocked.limit}});
  }
  for (const search::analysis::IdleParameter& idle : next_steps.idle) {
    report["idle"].push_back({{"parameter", idle.parameter},
                              {"value", ordered_json_of(idle.value)},
                              {"largest_effect", idle.largest_effect},
                              {"pairs", idle.pairs}});
  }
  for (const search::analysis::FailingValue& value : next_steps.failing) {
    report["failing"].push_back({{"parameter", value.parameter},
                                 {"value", ordered_json_of(value.value)},
                                 {"rows", value.rows},
                                 {"status", value.status},
                                 {"reason", value.reason}});
  }
  for (const search::analysis::SlowValue& value : next_steps.slow) {
    report["slow"].push_back({{"parameter", value.parameter},
                              {"value", ordered_json_of(value.value)},
                              {"rows", value.rows},
                              {"time_ratio", value.ratio}});
  }
  return report;
}

}  // namespace

std::string explanation_json(const text_output::ExplainedWorkload& workload,
                             const explaining::Explanation& explanation) {
  const model::Recording& recording = *workload.recording;
  ordered_json report;
  report["kernel"] = recording.workload.kernel;
  report["kernel_hash"] = recording.workload.kernel_hash;
  report["problem"] = to_ordered_json(recording.workload.problem);
  report["gpu"] = recording.workload.gpu.name;
  report["cache"] = model::to_string(recording.workload.cache);
  report["objective"] = "time";
  report["evaluated"] = explanation.rows;
  report["timed"] = explanation.timed;
  report["estimated"] = explanation.estimated;
  report["has_counters"] = explanation.has_counters;
  report["measured_now"] = explanation.measured_now;
  if (workload.session) report["session"] = *workload.session;
  report["notes"] = explanation.notes;
  if (explanation.from) report["from"] = measurement_report(*explanation.from);
  if (explanation.to) report["to"] = measurement_report(*explanation.to);
  report["path"] = {{"arrived", explanation.arrived}, {"not_measured", explanation.not_measured}};
  report["path"]["steps"] = ordered_json::array();
  for (const explaining::ExplainedStep& step : explanation.steps)
    report["path"]["steps"].push_back(ordered_json_of(step));
  if (explanation.from_diagnosis) report["diagnosis"]["from"] = diagnosis_json(*explanation.from_diagnosis);
  if (explanation.to_diagnosis) report["diagnosis"]["to"] = diagnosis_json(*explanation.to_diagnosis);
  report["importance"] = {{"over_space", ordered_json_of(explanation.over_space, recording.parameters)},
                          {"near_best", ordered_json_of(explanation.near_best, recording.parameters)}};
  report["outlook"] = ordered_json_of(explanation.next_steps);
  return to_text(report);
}

}  // namespace warptune::tuner::json_output
