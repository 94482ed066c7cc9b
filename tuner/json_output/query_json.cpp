#include "tuner/json_output/query_json.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

// `counted`: the name of the number of measured losses.
ordered_json expected_loss_json(const querying::ExpectedLoss& loss, const char* counted) {
  return {{"median", loss.median}, {"maximum", loss.maximum}, {counted, loss.count}};
}

ordered_json weighed_json(const querying::WeighedWinner& weighed, const model::Objective& objective) {
  const db::Winner& winner = weighed.winner;
  ordered_json json;
  json["match"] = db::to_string(weighed.tier);
  json["distance_log2"] = weighed.distance;
  json["workload"] = workload_json(winner.workload);
  json["configuration"] = values_json(winner.best.configuration);
  const std::optional<double> value = objective.value(winner.best);
  json["objective_value"] = value ? ordered_json(*value) : ordered_json(nullptr);
  json["source"] = model::to_string(winner.best.source);
  json["system"] = winner.of_system;
  json["chosen"] = weighed.chosen;
  json["fault"] = text_or_null(weighed.fault.value_or(""));
  json["verdict"] = weighed.verdict;
  json["expected_loss"] = weighed.loss ? expected_loss_json(*weighed.loss, "pairs") : ordered_json(nullptr);
  return json;
}

ordered_json recommended_loss_json(const std::optional<querying::RecommendedLoss>& found) {
  if (!found) return nullptr;
  ordered_json json = expected_loss_json(found->loss, "problems");
  json["other_gpus"] = found->is_of_other_gpus;
  return json;
}

ordered_json difference_json(const knowledge::EnvironmentChange& change, const ordered_json& session) {
  const bool is_text = change.before_number == 0;
  return {{"what", change.name},
          {"measured_with", is_text ? ordered_json(change.before) : ordered_json(change.before_number)},
          {"present", is_text ? ordered_json(change.after) : ordered_json(change.after_number)},
          {"session_id", session}};
}

ordered_json differences_json(const knowledge::EnvironmentDifferences& differences) {
  ordered_json json = ordered_json::array();
  for (const knowledge::EnvironmentChange& change : differences.here)
    json.push_back(difference_json(change, nullptr));
  for (const knowledge::EnvironmentChange& change : differences.newest)
    json.push_back(difference_json(change, differences.newest_session));
  return json;
}

ordered_json weighing_json(const querying::Weighing& weighing, const model::Objective& objective) {
  ordered_json json;
  json["winners"] = ordered_json::array();
  for (const querying::WeighedWinner& weighed : weighing.winners)
    json["winners"].push_back(weighed_json(weighed, objective));
  json["recommended_loss"] = recommended_loss_json(weighing.recommended_loss);
  json["left_out"] = weighing.left_out;
  json["excluded"] = ordered_json::array();
  for (const querying::ExcludedWinners& excluded : weighing.excluded)
    json["excluded"].push_back({{"reason", excluded.reason}, {"count", excluded.count}});
  return json;
}

ordered_json reproducible_json(const knowledge::ReproducibleWinner& chosen) {
  ordered_json passed_over = ordered_json::array();
  for (const knowledge::PassedOver& one : chosen.passed_over) {
    ordered_json json = passed_over_json(one.configuration, one.verdict);
    json["objective_value"] = one.value;
    passed_over.push_back(std::move(json));
  }
  return {{"demand", chosen.demanded.text},
          {"found", chosen.verdict.reason},
          {"unmet_count", chosen.unmet},
          {"unknown_count", chosen.unknown},
          {"passed_over", passed_over}};
}

}  // namespace

ordered_json query_json(const db::Match& match, const std::string& reason, const model::Workload& asked,
                        const model::Objective& objective, const std::vector<text_output::ParetoPoint>& front,
                        const std::optional<profiling::verification::WorkContradiction>& doubt,
                        const std::optional<querying::Weighing>& weighing,
                        const knowledge::EnvironmentDifferences& differences,
                        const std::optional<knowledge::ReproducibleWinner>& reproducible) {
  const db::Winner none;
  const db::Winner& winner = match.winner ? *match.winner : none;
  ordered_json report = json_head("query");
  report["workload"] = workload_json(asked);
  report["match"] = db::to_string(match.tier);
  report["reason"] = text_or_null(reason);
  report["distance_log2"] = match.distance;
  report["configuration"] = values_json(match.configuration);
  add_objective(report, objective, match.winner ? objective.value(winner.best) : std::nullopt);
  report["winner"] = match.winner ? winner_json(winner) : ordered_json(nullptr);
  report["work_doubt"] = doubt ? work_doubt_json(*doubt) : ordered_json(nullptr);
  report["pareto"] = pareto_json(front, objective, winner.work, winner.roofs);
  report["weighing"] = weighing ? weighing_json(*weighing, objective) : ordered_json(nullptr);
  report["environment_differences"] = differences_json(differences);
  report["reproducible"] = reproducible ? reproducible_json(*reproducible) : ordered_json(nullptr);
  return report;
}

namespace {

ordered_json best_json(const querying::PlaceBest& best) {
  return {{"configuration", values_json(best.configuration)}, {"objective_value", best.value}};
}

ordered_json place_json(const querying::PortablePlace& place, const querying::PlaceLoss& loss,
                        const std::optional<querying::PlaceBest>& best,
                        const std::optional<querying::RowConditions>& conditions) {
  ordered_json json;
  json["gpu"] = gpu_json(place.instance.gpu());
  json["workload"] = place.winner ? workload_json(place.winner->workload) : ordered_json(nullptr);
  json["distance_log2"] = place.distance;
  json["basis"] = querying::to_string(loss.basis);
  json["loss"] = finite_or_null(loss.loss);
  json["source"] =
      place.winner ? ordered_json(model::to_string(place.winner->best.source)) : ordered_json(nullptr);
  json["measurement"] =
      measurement_json(loss.row ? std::optional(loss.row->measurement) : std::nullopt, {}, {});
  json["best"] = best ? best_json(*best) : ordered_json(nullptr);
  json["session_id"] = conditions ? ordered_json(conditions->session_id) : ordered_json(nullptr);
  json["environment"] = conditions ? environment_json(conditions->environment) : ordered_json(nullptr);
  json["environment_differences"] =
      differences_json(conditions ? conditions->differences : knowledge::EnvironmentDifferences{});
  return json;
}

ordered_json summary_json(const std::vector<querying::PlaceLoss>& losses) {
  const querying::LossSummary summary = querying::summarise(losses);
  const bool is_unknown = summary.unknown == losses.size();
  return {{"worst", is_unknown ? ordered_json(nullptr) : ordered_json(summary.worst)},
          {"mean", is_unknown ? ordered_json(nullptr) : ordered_json(summary.mean)},
          {"exact", summary.is_exact},
          {"unknown_gpus", summary.unknown}};
}

}  // namespace

ordered_json portable_json(const querying::PortableAnswer& answer, const model::Objective& objective) {
  const querying::PortableChoice& choice = answer.choice;
  ordered_json report = json_head("portable");
  report["kernel"] = answer.kernel;
  report["problem"] = values_json(answer.problem);
  report["cache"] = model::to_string(answer.cache);
  report["objective"] = objective.text();
  report["over"] = querying::to_string(answer.over);
  report["configuration"] = values_json(choice.configuration);
  report["loss"] = summary_json(choice.losses);
  report["gpus"] = ordered_json::array();
  for (std::size_t i = 0; i < answer.places.size(); ++i)
    report["gpus"].push_back(
        place_json(answer.places[i], choice.losses[i], choice.best[i], answer.conditions[i]));
  report["compared"] = {{"configurations", choice.measured}, {"on_each_gpu", choice.shared}};
  report["passed_over"] = {{"configurations", choice.passed_over},
                           {"reason", text_or_null(choice.passed_over_reason)}};
  report["rivals"] = ordered_json::array();
  for (const querying::PortableRival& rival : choice.rivals) {
    report["rivals"].push_back({{"name", rival.name},
                                {"configuration", values_json(rival.configuration)},
                                {"loss", summary_json(rival.losses)}});
  }
  return report;
}

}  // namespace warptune::tuner::json_output
