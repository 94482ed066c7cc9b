#include "tuner/json_output/tune_json.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/own_metrics.h"
#include "tuner/json_output/error_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/text_output/configuration_comparison.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxPassedOver = 16;

// The rows with impossible times, and doubts about the finalists.
void add_doubts(ordered_json& report, const session::SessionResult& result) {
  report["implausible"] = ordered_json::array();
  for (const session::ImplausibleRow& row : result.implausible)
    report["implausible"].push_back(
        {{"configuration", values_json(row.configuration)}, {"reason", row.reason}});
  report["work_doubt"] = result.work_doubt ? work_doubt_json(*result.work_doubt) : ordered_json(nullptr);
  report["imprecise"] = ordered_json::array();
  for (const session::FinalistImprecise& finalist : result.imprecise)
    report["imprecise"].push_back(imprecise_json(finalist));
}

ordered_json until_json(const session::SessionPlan& plan, const session::SessionResult& result) {
  if (plan.goal.text.empty()) return nullptr;
  return {{"text", plan.goal.text}, {"reached", result.goal_reached}};
}

ordered_json source_json(const std::optional<session::TransferSource>& source) {
  if (!source) return nullptr;
  return {{"workload", workload_json(source->workload)}, {"rows", source->rows}};
}

ordered_json expected_gain_json(const std::optional<session::ExpectedGain>& gain) {
  if (!gain) return nullptr;
  return {{"evaluations", gain->evaluations},
          {"seconds", finite_or_null(gain->seconds)},
          {"gain_share", finite_or_null(gain->share)}};
}

// How the session searched and why it ended.
void add_search(ordered_json& report, const session::SessionPlan& plan,
                const session::SessionResult& result) {
  report["strategy"] = plan.strategy;
  report["seed"] = plan.seed;
  report["budget"] = text_or_null(plan.budget.text);
  report["evaluated"] = result.progress.evaluated;
  report["known_before"] = result.progress.known - result.progress.shared;
  report["known_meanwhile"] = result.progress.shared;
  report["space_size"] = result.progress.space_size;
  report["elapsed_s"] = result.progress.elapsed_s;
  report["interrupted"] = result.interrupted;
  report["exhausted"] = result.exhausted;
  report["search_continued"] = result.continued;
  report["until"] = until_json(plan, result);
  report["source"] = source_json(result.source);
  report["expected_gain"] = expected_gain_json(result.expected_gain);
  report["by_status"] = by_status_json(result.progress.by_status);
  report["unrated"] = result.unrated;
}

ordered_json reproducible_json(const session::SessionPlan& plan, const session::SessionResult& result) {
  if (!plan.reproducible) return nullptr;
  ordered_json passed_over = ordered_json::array();
  std::uint64_t unknown = 0;
  for (const session::PassedOverRow& row : result.passed_over) {
    if (row.verdict.kind == model::outputs::ReproducibilityVerdict::Kind::kUnknown) ++unknown;
    if (passed_over.size() < kMaxPassedOver)
      passed_over.push_back(passed_over_json(row.configuration, row.verdict));
  }
  return {{"demand", plan.reproducible->text},
          {"found", result.reproducible ? ordered_json(result.reproducible->reason) : ordered_json(nullptr)},
          {"unmet_count", result.passed_over.size() - unknown},
          {"unknown_count", unknown},
          {"passed_over", passed_over}};
}

}  // namespace

ordered_json imprecise_json(const session::FinalistImprecise& finalist) {
  return {{"configuration", values_json(finalist.configuration)},
          {model::own_metric::kErrorMaxAbsolute, finite_or_null(finalist.error)},
          {"median_of_others", finite_or_null(finalist.median_error)}};
}

ordered_json tuned_session_json(const session::TuningOutcome& outcome, const db::Store& store) {
  const session::SessionPlan& plan = outcome.plan;
  const session::SessionResult& result = outcome.result;
  ordered_json report;
  report["session_id"] = known_or_null(result.session_id);
  report["workload"] = workload_json(plan.workload);
  report["devices"] = outcome.ordinals;
  report["replayed"] = plan.replayed;
  add_objective(report, plan.objective, result.best_value);
  add_search(report, plan, result);
  report["environment"] = environment_json(outcome.environment);
  report["work"] = work_json(plan.work);
  report["roofs"] = roofs_json(outcome.roofs);
  report["default"] = measurement_json(result.default_measurement, plan.work, outcome.roofs);
  report["best"] = measurement_json(result.best, plan.work, outcome.roofs);
  report["speed_up"] = speed_up_json(result.default_measurement, result.best);
  report["tied"] = ordered_json::array();
  for (const model::NamedValues& tied : result.tied) report["tied"].push_back(values_json(tied));
  add_doubts(report, result);
  report["reproducible"] = reproducible_json(plan, result);
  report["pareto"] = pareto_json(text_output::pareto_points(store, plan.workload, plan.objective),
                                 plan.objective, plan.work, outcome.roofs);
  return report;
}

ordered_json tune_json(const std::vector<ordered_json>& sessions,
                       const std::optional<base::WorkError>& error) {
  ordered_json report = json_head("tune");
  report["sessions"] = sessions;
  report["error"] = error ? error_object(*error) : ordered_json(nullptr);
  return report;
}

}  // namespace warptune::tuner::json_output
