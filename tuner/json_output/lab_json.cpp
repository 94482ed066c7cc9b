#include "tuner/json_output/lab_json.h"

#include <optional>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

ordered_json claim_json(const lab::JudgedClaim& claim) {
  const bool is_known = claim.verdict != lab::LabVerdict::kUnknown;
  const auto if_known = [&](const ordered_json& value) { return is_known ? value : ordered_json(nullptr); };
  ordered_json json = {{"claim", claim.claim->text},
                       {"verdict", to_string(claim.verdict)},
                       {"value", if_known(claim.value)},
                       {"low_value", if_known(claim.low)},
                       {"high_value", if_known(claim.high)},
                       {"unit", text_or_null(claim.claim->unit)},
                       {"measured", text_or_null(claim.claim->measured)},
                       {"certain", if_known(claim.is_certain)},
                       {"claimed_value", finite_or_null(claim.claim->expected)},
                       {"because", claim.because}};
  json["evidence"] = ordered_json::array();
  for (const lab::JudgedEvidence& evidence : claim.evidence) {
    ordered_json values = ordered_json::array();
    for (const std::optional<double>& value : evidence.values) values.push_back(finite_or_null(value));
    json["evidence"].push_back(
        {{"text", evidence.text}, {"labels", evidence.labels}, {"values", std::move(values)}});
  }
  return json;
}

ordered_json theory_json(const lab::JudgedTheory& theory) {
  const ordered_json expected = theory.value ? ordered_json(theory.expected) : ordered_json(nullptr);
  return {{"text", theory.row->text},
          {"metric", theory.row->metric},
          {"value", finite_or_null(theory.value)},
          {"expected_value", expected},
          {"tolerance", theory.row->tolerance},
          {"within", theory.within},
          {"problem", text_or_null(theory.problem)}};
}

ordered_json table_json(const lab::LabResult& result, std::size_t table) {
  const kernel_templates::ExperimentTable& written = result.plan.experiment.tables[table];
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < written.rows.size(); ++i) {
    const lab::LabRow& row = result.rows[table][i];
    ordered_json json = {{"id", written.rows[i].id},
                         {"label", written.rows[i].label},
                         {"workload", nullptr},
                         {"measurement", nullptr},
                         {"reason", text_or_null(row.reason)}};
    if (row.measurement) {
      const model::Recording& recording = result.recordings[row.session.value()];
      json["workload"] = workload_json(recording.workload);
      json["measurement"] = measurement_json(*row.measurement, recording.work, recording.roofs);
    }
    rows.push_back(std::move(json));
  }
  return {{"name", written.name}, {"title", written.title}, {"rows", std::move(rows)}};
}

ordered_json experiment_json(const lab::LabResult& result, const lab::LabJudgement& judgement) {
  ordered_json json = {{"experiment", result.plan.experiment.name},
                       {"title", result.plan.experiment.title},
                       {"gpu", gpu_json(result.plan.gpu)},
                       {"environment", environment_json(result.environment())},
                       {"roofs", roofs_json(result.roofs())}};
  for (const char* list : {"claims", "theory", "tables"}) json[list] = ordered_json::array();
  for (const lab::JudgedClaim& claim : judgement.claims) json["claims"].push_back(claim_json(claim));
  for (const lab::JudgedTheory& theory : judgement.theory) json["theory"].push_back(theory_json(theory));
  for (std::size_t table = 0; table < result.rows.size(); ++table)
    json["tables"].push_back(table_json(result, table));
  return json;
}

}  // namespace

ordered_json lab_json(
    const std::vector<std::pair<const lab::LabResult*, const lab::LabJudgement*>>& experiments,
    const ordered_json& errors) {
  ordered_json output = json_head("lab");
  output["experiments"] = ordered_json::array();
  for (const auto& [result, judgement] : experiments)
    output["experiments"].push_back(experiment_json(*result, *judgement));
  output["errors"] = errors;
  return output;
}

}  // namespace warptune::tuner::json_output
