#include "tuner/json_output/diagnosis_json.h"

#include <utility>

#include "tuner/json_output/json_codec.h"

namespace warptune::tuner::json_output {

namespace {

nlohmann::ordered_json finding_json(const profiling::diagnosis::Finding& finding) {
  nlohmann::ordered_json evidence = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::Evidence& item : finding.evidence) {
    evidence.push_back({{"metric", item.metric}, {"value", item.value}, {"text", item.text}});
    if (item.threshold) evidence.back()["threshold"] = *item.threshold;
  }
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const profiling::diagnosis::ParameterRemedy& remedy : finding.parameters) {
    parameters.push_back({{"parameter", remedy.parameter},
                          {"from", to_json(remedy.from)},
                          {"to", to_json(remedy.to)},
                          {"measured", remedy.measured},
                          {"text", remedy.text}});
    if (remedy.time_ratio) parameters.back()["time_ratio"] = *remedy.time_ratio;
  }
  nlohmann::ordered_json json = {{"rule", finding.rule},
                                 {"severity", profiling::diagnosis::to_string(finding.severity)},
                                 {"title", finding.title},
                                 {"gain", finding.gain},
                                 {"gain_basis", finding.gain_basis},
                                 {"evidence", std::move(evidence)},
                                 {"remedy", finding.remedy},
                                 {"parameters", std::move(parameters)}};
  if (!finding.follows_from.empty()) json["follows_from"] = finding.follows_from;
  return json;
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

}  // namespace warptune::tuner::json_output
