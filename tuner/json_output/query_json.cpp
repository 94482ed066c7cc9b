#include "tuner/json_output/query_json.h"

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

ordered_json query_json(const db::Match& match, const std::string& reason, const model::Workload& asked,
                        const model::Objective& objective, const std::vector<text_output::ParetoPoint>& front,
                        const std::optional<profiling::verification::WorkContradiction>& doubt) {
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
  return report;
}

}  // namespace warptune::tuner::json_output
