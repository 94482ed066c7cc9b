#include "tuner/json_output/diagnosis_json.h"

#include <utility>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

namespace {

nlohmann::ordered_json finding_json(const profiling::diagnosis::Finding& finding) {
  nlohmann::ordered_json evidence = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::Evidence& item : finding.evidence) {
    evidence.push_back({{"metric", item.metric},
                        {"value", finite_or_null(item.value)},
                        {"threshold", finite_or_null(item.threshold)},
                        {"text", item.text}});
  }
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::ParameterRemedy& remedy : finding.parameters) {
    parameters.push_back({{"parameter", remedy.parameter},
                          {"from", value_json(remedy.from)},
                          {"to", value_json(remedy.to)},
                          {"measured", remedy.measured},
                          {"time_ratio", finite_or_null(remedy.time_ratio)},
                          {"text", remedy.text}});
  }
  return {{"rule", finding.rule},
          {"severity", profiling::diagnosis::to_string(finding.severity)},
          {"title", finding.title},
          {"gain", finding.gain},
          {"gain_basis", text_or_null(finding.gain_basis)},
          {"evidence", std::move(evidence)},
          {"remedy", finding.remedy},
          {"parameters", std::move(parameters)},
          {"follows_from", text_or_null(finding.follows_from)}};
}

}  // namespace

nlohmann::ordered_json diagnosis_json(const profiling::diagnosis::Diagnosis& diagnosis) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::Finding& finding : diagnosis.findings)
    findings.push_back(finding_json(finding));
  nlohmann::ordered_json unchecked = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::UncheckedRule& rule : diagnosis.unchecked)
    unchecked.push_back({{"rule", rule.rule}, {"metrics", rule.metrics}});
  return {{"findings", std::move(findings)}, {"not_checked", std::move(unchecked)}};
}

nlohmann::ordered_json diagnosis_json(const std::optional<profiling::diagnosis::Diagnosis>& diagnosis) {
  return diagnosis ? diagnosis_json(*diagnosis) : nlohmann::ordered_json(nullptr);
}

}  // namespace warptune::tuner::json_output
