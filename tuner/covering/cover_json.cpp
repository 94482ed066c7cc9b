#include "tuner/covering/cover_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/covering/cover_text.h"
#include "tuner/covering/held_back.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::covering {

using json_output::finite_or_null;
using json_output::values_json;
using nlohmann::ordered_json;

namespace {

ordered_json list_json(const covers::DecisionList& list) {
  ordered_json lines = ordered_json::array();
  for (const covers::DecisionLine& line : list.lines) {
    ordered_json conditions = ordered_json::array();
    for (const covers::SizeCondition& condition : line.conditions)
      conditions.push_back(condition.text(list.names));
    lines.push_back(
        {{"conditions", conditions}, {"configuration", line.configuration}, {"size_count", line.sizes}});
  }
  return lines;
}

ordered_json costs_json(const covers::CoverCosts& costs) {
  ordered_json all = ordered_json::array();
  for (std::size_t c = 0; c < costs.costs.size(); ++c)
    all.push_back(costs.costs[c] ? ordered_json(costs.text(c)) : ordered_json(nullptr));
  return all;
}

ordered_json measured_json(const covers::SizeRange& range, const CoverResult& result) {
  ordered_json sizes = ordered_json::array();
  for (std::size_t s = 0; s < result.table.sizes.size(); ++s) {
    const covers::CoverSize& at = result.table.sizes[s];
    if (at.held_back) continue;
    const std::optional<double> loss = result.table.estimated_loss(result.outcome.cover->answer(at.size), s);
    sizes.push_back({{"size", values_json(range.values_of(at.size))},
                     {"weight", at.weight},
                     {"best_ns", finite_or_null(at.best_ns)},
                     {"loss_share", finite_or_null(loss)}});
  }
  return sizes;
}

ordered_json held_back_json(const CoverRequest& request, const CoverOutcome& outcome) {
  ordered_json sizes = ordered_json::array();
  std::size_t within = 0;
  for (const CheckedSize& one : outcome.checked) {
    within += one.loss <= request.goal.limit_share ? 1U : 0U;
    sizes.push_back({{"size", values_json(request.goal.range.values_of(one.at.size))},
                     {"loss_share", finite_or_null(one.loss)},
                     {"least_loss_share", finite_or_null(one.min_loss)}});
  }
  return {{"sizes", sizes},
          {"within_count", within},
          {"confidence", kConfidence},
          {"least_share", share_lower_bound(within, outcome.checked.size(), kConfidence)}};
}

ordered_json reproducible_json(const CoverRequest& request, const CoverResult& result) {
  if (!request.goal.reproducible) return nullptr;
  ordered_json json = {{"demand", request.goal.reproducible->text},
                       {"excluded_count", result.table.excluded_count()},
                       {"compared_size_count", nullptr},
                       {"mean_loss_share", nullptr},
                       {"worst_loss_share", nullptr},
                       {"beyond_limit_count", nullptr}};
  if (const std::optional<covers::SizeCover>& cover = result.outcome.cover) {
    json["compared_size_count"] = covers::min_compared_sizes(result.table, *cover);
    json["mean_loss_share"] = finite_or_null(cover->mean_loss_against_all);
    json["worst_loss_share"] = finite_or_null(cover->worst_loss_against_all);
    json["beyond_limit_count"] = cover->beyond_limit;
  }
  return json;
}

}  // namespace

std::string cover_json(const CoverRequest& request, const CoverResult& result) {
  const CoverOutcome& outcome = result.outcome;
  ordered_json json = json_output::json_head("cover");
  json["workload"] = json_output::workload_json(result.workload);
  json["range"] = request.goal.range.text();
  json["limit_share"] = request.goal.limit_share;
  json["max_configurations"] = json_output::value_or_null(
      request.goal.max_configurations > 0 ? std::optional(request.goal.max_configurations) : std::nullopt);
  json["settled"] = outcome.settled;
  json["interrupted"] = outcome.interrupted;
  json["evaluations"] = outcome.evaluations;
  json["check_evaluations"] = outcome.check_evaluations;
  json["configurations"] = ordered_json::array();
  json["lines"] = ordered_json::array();
  json["answered_by"] = nullptr;
  json["costs"] = ordered_json::array();
  json["sizes"] = ordered_json::array();
  json["mean_loss_share"] = nullptr;
  json["worst_loss_share"] = nullptr;
  json["within_count"] = nullptr;
  json["unknown_count"] = nullptr;
  if (outcome.cover) {
    for (const std::size_t c : outcome.cover->configurations)
      json["configurations"].push_back(values_json(result.table.configurations[c]));
    json["lines"] = list_json(outcome.cover->list);
    json["answered_by"] = outcome.cover->costs ? "costs" : "list";
    if (outcome.cover->costs) json["costs"] = costs_json(*outcome.cover->costs);
    json["sizes"] = measured_json(request.goal.range, result);
    json["mean_loss_share"] = finite_or_null(outcome.cover->mean_loss);
    json["worst_loss_share"] = finite_or_null(outcome.cover->worst_loss);
    json["within_count"] = outcome.cover->within;
    json["unknown_count"] = outcome.cover->unknown;
  }
  json["reproducible"] = reproducible_json(request, result);
  json["held_back"] = held_back_json(request, outcome);
  json["left_out"] = ordered_json::array();
  for (const FailedSize& failed : outcome.failed)
    json["left_out"].push_back(
        {{"size", values_json(request.goal.range.values_of(failed.size))}, {"reason", failed.reason}});
  return json_output::to_text(json);
}

}  // namespace warptune::tuner::covering
