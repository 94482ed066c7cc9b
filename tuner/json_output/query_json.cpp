#include "tuner/json_output/query_json.h"

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

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
  json["expected_loss"] = nullptr;
  if (weighed.loss) {
    json["expected_loss"] = {
        {"median", weighed.loss->median}, {"maximum", weighed.loss->maximum}, {"pairs", weighed.loss->pairs}};
  }
  return json;
}

ordered_json weighing_json(const querying::Weighing& weighing, const model::Objective& objective) {
  ordered_json json;
  json["winners"] = ordered_json::array();
  for (const querying::WeighedWinner& weighed : weighing.winners)
    json["winners"].push_back(weighed_json(weighed, objective));
  json["left_out"] = weighing.left_out;
  json["excluded"] = ordered_json::array();
  for (const querying::ExcludedWinners& excluded : weighing.excluded)
    json["excluded"].push_back({{"reason", excluded.reason}, {"count", excluded.count}});
  return json;
}

}  // namespace

ordered_json query_json(const db::Match& match, const std::string& reason, const model::Workload& asked,
                        const model::Objective& objective, const std::vector<text_output::ParetoPoint>& front,
                        const std::optional<profiling::verification::WorkContradiction>& doubt,
                        const std::optional<querying::Weighing>& weighing) {
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
  return report;
}

}  // namespace warptune::tuner::json_output
