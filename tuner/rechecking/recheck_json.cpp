#include "tuner/rechecking/recheck_json.h"

#include <nlohmann/json.hpp>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::rechecking {

using json_output::finite_or_null;
using json_output::text_or_null;
using json_output::values_json;
using nlohmann::ordered_json;

namespace {

ordered_json time_json(const std::optional<model::TimeSummary>& time) {
  if (!time) return nullptr;
  return {{"median_ns", finite_or_null(time->median_ns)},
          {"low_ns", finite_or_null(time->low_ns)},
          {"high_ns", finite_or_null(time->high_ns)}};
}

ordered_json outputs_json(const RecheckedRow& row) {
  if (!row.outputs) return nullptr;
  using Kind = model::outputs::ReproducibilityVerdict::Kind;
  return {{"met", row.outputs->is_met()},
          {"known", row.outputs->kind != Kind::kUnknown},
          {"reason", row.outputs->reason}};
}

ordered_json row_json(const RecheckedRow& row) {
  const bool measured = row.after && row.after->status == model::Status::kMeasured;
  return {{"configuration", values_json(row.configuration)},
          {"before", time_json(row.before)},
          {"after", measured ? time_json(row.after->time) : ordered_json(nullptr)},
          {"status", row.after ? ordered_json(model::to_string(row.after->status)) : ordered_json(nullptr)},
          {"reason", row.after ? text_or_null(row.after->reason) : ordered_json(nullptr)},
          {"outputs", outputs_json(row)}};
}

ordered_json planned_json(const PlannedRecheck& planned) {
  ordered_json json = {{"workload", json_output::workload_json(planned.winner.workload)},
                       {"session_before", planned.winner.session_id},
                       {"environment_before", json_output::environment_json(planned.winner.environment)},
                       {"rows", ordered_json::array()}};
  for (const RecheckedRow& row : planned.rows) json["rows"].push_back(row_json(row));
  return json;
}

ordered_json better_json(const RecheckResult& result) {
  const Judgement& judgement = result.judgement;
  if (!judgement.better) return nullptr;
  return {{"configuration", values_json(result.planned.rows[*judgement.better].configuration)},
          {"gain_share", finite_or_null(judgement.gain_share)}};
}

ordered_json result_json(const RecheckResult& result) {
  ordered_json json = planned_json(result.planned);
  json["sessions"] = result.sessions;
  json["environment"] =
      result.environment ? json_output::environment_json(*result.environment) : ordered_json(nullptr);
  json["verdict"] = to_string(result.judgement.verdict);
  json["reason"] = text_or_null(result.judgement.reason);
  json["change_share"] = finite_or_null(result.judgement.change_share);
  json["better"] = better_json(result);
  json["unproven_count"] = result.unproven;
  json["other_bits"] = result.has_other_bits ? ordered_json(*result.has_other_bits) : ordered_json(nullptr);
  return json;
}

}  // namespace

std::string recheck_json(const RecheckRequest& request, const RecheckPlan& plan,
                         const std::optional<RecheckOutcome>& outcome) {
  ordered_json json = json_output::json_head("recheck");
  json["dry_run"] = !outcome;
  json["interrupted"] = outcome && outcome->interrupted;
  json["limit_share"] = request.limit_share;
  json["reproducible"] = text_or_null(request.reproducible ? request.reproducible->text : "");
  json["gpu"] = json_output::gpu_json(plan.gpu);
  json["winners"] = ordered_json::array();
  if (outcome) {
    for (const RecheckResult& result : outcome->results) json["winners"].push_back(result_json(result));
  } else {
    for (const PlannedRecheck& planned : plan.workloads) json["winners"].push_back(planned_json(planned));
  }
  json["skipped"] = ordered_json::array();
  for (const SkippedWorkload& one : plan.skipped)
    json["skipped"].push_back({{"workload", json_output::workload_json(one.workload)},
                               {"reason", one.reason},
                               {"fails_ci", one.fails_ci}});
  json["without_winner"] = plan.without_winner;
  return json_output::to_text(json);
}

}  // namespace warptune::tuner::rechecking
