#include "tuner/json_output/tune_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "model/own_metrics.h"
#include "tuner/json_output/json_codec.h"
#include "tuner/text_output/configuration_comparison.h"

namespace warptune::tuner::json_output {

namespace {

// Adds the rows with impossible times, and doubts about the finalists.
void add_doubts(nlohmann::ordered_json& report, const session::SessionResult& result) {
  report["implausible"] = nlohmann::ordered_json::array();
  for (const session::ImplausibleRow& row : result.implausible) {
    report["implausible"].push_back(
        {{"configuration", to_ordered_json(row.configuration)}, {"reason", row.reason}});
  }
  if (result.work_doubt) report["work_doubt"] = to_ordered_json(*result.work_doubt);
  report["imprecise"] = nlohmann::ordered_json::array();
  for (const session::FinalistImprecise& one : result.imprecise) {
    report["imprecise"].push_back({{"configuration", to_ordered_json(one.configuration)},
                                   {model::own_metric::kErrorMaxAbsolute, one.error},
                                   {"median_of_others", one.median_error}});
  }
}

}  // namespace

std::string tune_json(const session::TuningOutcome& outcome, const db::Store& store) {
  nlohmann::ordered_json report;
  const session::SessionPlan& plan = outcome.plan;
  const session::SessionResult& result = outcome.result;
  report["session"] = result.session_id;
  report["kernel"] = plan.workload.kernel;
  report["kernel_hash"] = plan.workload.kernel_hash;
  report["problem"] = to_ordered_json(plan.workload.problem);
  report["gpu"] = plan.workload.gpu.name;
  report["devices"] = outcome.ordinals;
  report["cache"] = model::to_string(plan.workload.cache);
  report["objective"] = plan.objective.text();
  report["replayed"] = plan.replayed;
  report["evaluated"] = result.progress.evaluated;
  report["known_before"] = result.progress.known;
  report["space"] = result.progress.space_size;
  report["elapsed_s"] = result.progress.elapsed_s;
  report["interrupted"] = result.interrupted;
  report["exhausted"] = result.exhausted;
  report["search_continued"] = result.continued;
  if (!plan.goal.text.empty()) report["until"] = {{"text", plan.goal.text}, {"reached", result.goal_reached}};
  if (result.source) {
    report["source"] = {{"problem", to_ordered_json(result.source->workload.problem)},
                        {"gpu", result.source->workload.gpu.name},
                        {"measurements", result.source->rows}};
  }
  if (result.expected_gain) {
    report["expected_gain"] = {{"evaluations", result.expected_gain->evaluations},
                               {"share", result.expected_gain->share}};
    if (result.expected_gain->seconds) report["expected_gain"]["seconds"] = *result.expected_gain->seconds;
  }
  for (const auto& [status, count] : result.progress.by_status)
    report["by_status"][std::string(model::to_string(status))] = count;
  report["unrated"] = result.unrated;
  const model::Roofs& roofs = outcome.roofs;
  report["roofs"] = to_ordered_json(roofs);
  if (result.default_measurement)
    report["default"] = measurement_report(*result.default_measurement, plan.work, roofs);
  if (result.best) report["best"] = measurement_report(*result.best, plan.work, roofs);
  if (result.best_value) report["best_value"] = *result.best_value;
  const bool compared =
      result.default_measurement && result.default_measurement->status == model::Status::kMeasured;
  if (result.best && compared) {
    report["speed_up"] = result.default_measurement->time.median_ns / result.best->time.median_ns;
  }
  report["tied"] = nlohmann::ordered_json::array();
  for (const model::NamedValues& tied : result.tied) report["tied"].push_back(to_ordered_json(tied));
  add_doubts(report, result);
  if (plan.objective.parts().size() > 1)
    report["pareto"] =
        pareto_report(text_output::pareto_points(store, plan.workload, plan.objective), plan.objective);
  return to_text(report);
}

}  // namespace warptune::tuner::json_output
