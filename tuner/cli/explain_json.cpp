#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/cli/explain_report.h"
#include "tuner/detail/diagnosis_json.h"
#include "tuner/detail/json_forms.h"
#include "tuner/diagnosis_report.h"

namespace warptune::tuner::cli {

namespace analysis = search::analysis;
using nlohmann::ordered_json;

namespace {

ordered_json json_of(const search::Value& value) { return detail::to_json(value); }

// JSON has no NaN.

ordered_json json_of(const analysis::PairedEffect& effect) {
  return {{"pairs", effect.pairs},
          {"time_ratio", detail::finite_or_null(effect.ratio.median)},
          {"low", detail::finite_or_null(effect.ratio.low)},
          {"high", detail::finite_or_null(effect.ratio.high)}};
}

ordered_json json_of(const ExplainedStep& step) {
  ordered_json report;
  report["changes"] = ordered_json::array();
  for (const analysis::ParameterStep& change : step.step.changes) {
    report["changes"].push_back(
        {{"parameter", change.name}, {"from", json_of(change.from)}, {"to", json_of(change.to)}});
  }
  report["grouping"] = analysis::to_string(step.step.grouping);
  report["time_before_ns"] = step.before.time.median_ns;
  report["time_after_ns"] = step.step.after.time.median_ns;
  report["estimate"] = step.step.after.status == search::Status::kDropped;
  report["time_ratio"] = step.ratio;
  report["share_of_log_gain"] = detail::finite_or_null(step.share);
  report["within_noise"] = step.within_noise;
  report["metrics"] = ordered_json::array();
  for (const analysis::MetricChange& metric : step.metrics) {
    report["metrics"].push_back({{"name", metric.name}, {"before", metric.before}, {"after", metric.after}});
  }
  for (const ModelledChange& modelled : step.modelled) {
    report["by_the_model"].push_back({{"parameter", modelled.change.name},
                                      {"from", json_of(modelled.change.from)},
                                      {"to", json_of(modelled.change.to)},
                                      {"time_ratio", modelled.ratio}});
  }
  if (step.everywhere) report["everywhere"] = json_of(*step.everywhere);
  report["configuration"] = detail::to_ordered_json(step.step.after.configuration);
  return report;
}

ordered_json json_of(const std::optional<analysis::ModelledImportance>& modelled,
                     const std::vector<search::Parameter>& parameters) {
  if (!modelled) return nullptr;
  const search::models::ForestError& error = modelled->model->error();
  ordered_json report = {{"rows", modelled->rows},
                         {"configurations", modelled->importance.configurations},
                         {"median_relative_error", detail::finite_or_null(error.median_relative_error)},
                         {"r_squared", detail::finite_or_null(error.r_squared)},
                         {"variance_of_log_time", modelled->importance.variance}};
  for (std::size_t p = 0; p < parameters.size(); ++p)
    report["parameters"][parameters[p].name] = modelled->importance.by_parameter[p];
  report["pairs"] = ordered_json::array();
  for (const analysis::PairShare& pair : modelled->importance.pairs) {
    report["pairs"].push_back({{"first", parameters[pair.first].name},
                               {"second", parameters[pair.second].name},
                               {"share", pair.share}});
  }
  report["rest"] = modelled->importance.rest;
  return report;
}

ordered_json json_of(const analysis::Outlook& outlook) {
  ordered_json report;
  if (outlook.of_roof > 0.0) report["of_roof"] = outlook.of_roof;
  for (const char* kind : {"borders", "blocked", "idle", "failing", "slow"})
    report[kind] = ordered_json::array();
  for (const analysis::BorderTrend& trend : outlook.borders) {
    ordered_json border = {{"parameter", trend.parameter},    {"value", json_of(trend.value)},
                           {"inside", json_of(trend.inside)}, {"next", json_of(trend.next)},
                           {"effect", json_of(trend.effect)}, {"limit", trend.limit}};
    if (trend.best_ratio) border["best_time_ratio"] = *trend.best_ratio;
    if (trend.model_ratio > 0.0) border["model_time_ratio"] = trend.model_ratio;
    report["borders"].push_back(std::move(border));
  }
  for (const analysis::BlockedValue& blocked : outlook.blocked) {
    report["blocked"].push_back({{"parameter", blocked.parameter},
                                 {"value", json_of(blocked.value)},
                                 {"best_value", json_of(blocked.best_value)},
                                 {"effect", json_of(blocked.effect)},
                                 {"limit", blocked.limit}});
  }
  for (const analysis::IdleParameter& idle : outlook.idle) {
    report["idle"].push_back({{"parameter", idle.parameter},
                              {"value", json_of(idle.value)},
                              {"largest_effect", idle.largest_effect},
                              {"pairs", idle.pairs}});
  }
  for (const analysis::FailingValue& value : outlook.failing) {
    report["failing"].push_back({{"parameter", value.parameter},
                                 {"value", json_of(value.value)},
                                 {"rows", value.rows},
                                 {"status", value.status},
                                 {"reason", value.reason}});
  }
  for (const analysis::SlowValue& value : outlook.slow) {
    report["slow"].push_back({{"parameter", value.parameter},
                              {"value", json_of(value.value)},
                              {"rows", value.rows},
                              {"time_ratio", value.ratio}});
  }
  return report;
}

}  // namespace

std::string explanation_json(const ExplainedSubject& subject, const Explanation& explanation) {
  const search::Recording& recording = *subject.recording;
  ordered_json report;
  report["kernel"] = recording.subject.kernel;
  report["kernel_hash"] = recording.subject.kernel_hash;
  report["problem"] = detail::to_ordered_json(recording.subject.problem);
  report["gpu"] = recording.subject.gpu.name;
  report["cache"] = search::to_string(recording.subject.cache);
  report["objective"] = "time";
  report["evaluated"] = explanation.rows;
  report["timed"] = explanation.timed;
  report["estimated"] = explanation.estimated;
  report["has_counters"] = explanation.has_counters;
  report["measured_now"] = explanation.measured_now;
  if (subject.session) report["session"] = *subject.session;
  report["notes"] = explanation.notes;
  if (explanation.from) report["from"] = detail::measurement_report(*explanation.from);
  if (explanation.to) report["to"] = detail::measurement_report(*explanation.to);
  report["path"] = {{"arrived", explanation.arrived}, {"not_measured", explanation.not_measured}};
  report["path"]["steps"] = ordered_json::array();
  for (const ExplainedStep& step : explanation.steps) report["path"]["steps"].push_back(json_of(step));
  if (explanation.from_diagnosis)
    report["diagnosis"]["from"] = detail::diagnosis_json(*explanation.from_diagnosis);
  if (explanation.to_diagnosis) report["diagnosis"]["to"] = detail::diagnosis_json(*explanation.to_diagnosis);
  report["importance"] = {{"over_space", json_of(explanation.over_space, recording.parameters)},
                          {"near_best", json_of(explanation.near_best, recording.parameters)}};
  report["outlook"] = json_of(explanation.outlook);
  return detail::to_text(report);
}

}  // namespace warptune::tuner::cli
