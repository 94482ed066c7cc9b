#include "tuner/html_report/report_analysis.h"

#include <algorithm>
#include <optional>
#include <string>

#include "search/analysis/modelled_importance.h"
#include "search/analysis/parameter_effects.h"
#include "search/analysis/timed_rows.h"
#include "tuner/html_report/report_numbers.h"
#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/explain_json.h"
#include "tuner/text_output/explain_sections.h"

namespace warptune::tuner::html_report {

namespace {

using nlohmann::ordered_json;

constexpr int kShareDigits = 4;  // The significant digits of all numbers here.

ordered_json effects_of(const search::analysis::TimedRows& rows) {
  ordered_json list = ordered_json::array();
  const search::analysis::ParameterEffects effects(rows);
  const std::vector<model::Parameter>& parameters = rows.recording->parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    for (std::uint32_t to = 1; to < parameters[p].values.size(); ++to) {
      const search::analysis::PairedEffect effect = effects.time_effect({p, to - 1, to});
      if (!effect.ratio) continue;
      list.push_back({{"parameter", p},
                      {"from", to - 1},
                      {"to", to},
                      {"pairs", effect.pairs},
                      {"ratio", report_number(effect.ratio->median, kShareDigits)},
                      {"low", report_number(effect.ratio->low, kShareDigits)},
                      {"high", report_number(effect.ratio->high, kShareDigits)}});
    }
  }
  return list;
}

ordered_json importance_form(const search::analysis::ModelledImportance& found) {
  const search::models::ForestError& error = found.model->error();
  ordered_json form = {{"rows", found.rows},
                       {"configurations", found.importance.configurations},
                       {"median_relative_error", report_number(error.median_relative_error, kShareDigits)},
                       {"r_squared", report_number(error.r_squared, kShareDigits)},
                       {"trustworthy", search::analysis::is_trustworthy(found)}};
  form["by_parameter"] = ordered_json::array();
  for (const double share : found.importance.by_parameter)
    form["by_parameter"].push_back(report_number(share, kShareDigits));
  form["pairs"] = ordered_json::array();
  for (const search::analysis::PairShare& pair : found.importance.pairs) {
    form["pairs"].push_back(
        {{"first", pair.first}, {"second", pair.second}, {"share", report_number(pair.share, kShareDigits)}});
  }
  form["rest"] = report_number(found.importance.rest, kShareDigits);
  return form;
}

}  // namespace

explaining::Explanation explanation_of(const ReportWorkload& workload) {
  explaining::ExplanationRequest request;
  request.best = workload.best_configuration;
  return explaining::explain(workload.recording, request);
}

ordered_json parameter_analysis(const ReportWorkload& workload, const explaining::Explanation& explanation) {
  ordered_json form = ordered_json::object();
  form["effects"] = effects_of(search::analysis::timed_rows(workload.recording));
  form["importance"] = nullptr;
  form["importance_near_best"] = nullptr;
  if (explanation.over_space) form["importance"] = importance_form(*explanation.over_space);
  if (explanation.near_best) {
    form["importance_near_best"] = importance_form(*explanation.near_best);
    form["importance_near_best"]["ratio"] = search::analysis::kNearRatio;
  }
  form["path"] = json_output::path_json(explanation);
  form["next_steps"] = text_output::next_steps_lines(explanation.next_steps);
  form["notes"] = explanation.notes;
  return form;
}

ordered_json diagnoses_of(const explaining::Explanation& explanation) {
  ordered_json list = ordered_json::array();
  const auto add = [&](const char* of, const std::optional<model::Measurement>& row,
                       const std::optional<profiling::diagnosis::Diagnosis>& diagnosis) {
    if (!row || !diagnosis || row->counters.empty()) return;
    ordered_json form = {{"of", of}};
    form.update(json_output::diagnosis_json(*diagnosis));
    list.push_back(std::move(form));
  };
  add("the best", explanation.to, explanation.to_diagnosis);
  const bool differ =
      !explanation.from || !explanation.to ||
      model::key_of(explanation.from->configuration) != model::key_of(explanation.to->configuration);
  if (differ) add("the default", explanation.from, explanation.from_diagnosis);
  return list;
}

}  // namespace warptune::tuner::html_report
