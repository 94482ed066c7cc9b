#include "tuner/html_report/report_analysis.h"

#include <algorithm>
#include <optional>
#include <string>

#include "search/analysis/modelled_importance.h"
#include "search/analysis/parameter_effects.h"
#include "search/analysis/timed_rows.h"
#include "tuner/explaining/diagnosis_input.h"
#include "tuner/html_report/report_numbers.h"
#include "tuner/json_output/diagnosis_json.h"

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
      if (effect.pairs == 0) continue;
      list.push_back({{"parameter", p},
                      {"from", to - 1},
                      {"to", to},
                      {"pairs", effect.pairs},
                      {"ratio", report_number(effect.ratio.median, kShareDigits)},
                      {"low", report_number(effect.ratio.low, kShareDigits)},
                      {"high", report_number(effect.ratio.high, kShareDigits)}});
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

ordered_json parameter_analysis(const model::Recording& recording) {
  ordered_json form = ordered_json::object();
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  form["effects"] = effects_of(rows);
  form["importance"] = nullptr;
  form["importance_near_best"] = nullptr;
  if (rows.size() < search::analysis::kMinForModel) return form;
  if (const auto found = search::analysis::importance_over_space(rows, recording.space()))
    form["importance"] = importance_form(*found);
  if (const auto found = search::analysis::importance_near_best(rows)) {
    form["importance_near_best"] = importance_form(*found);
    form["importance_near_best"]["ratio"] = search::analysis::kNearRatio;
  }
  return form;
}

ordered_json diagnoses_of(const ReportWorkload& workload) {
  ordered_json list = ordered_json::array();
  const model::Recording& recording = workload.recording;
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  const auto add = [&](const char* of, const model::NamedValues& configuration) {
    const std::optional<std::size_t> row =
        configuration.empty() ? std::nullopt : row_of(recording, configuration);
    if (!row) return;
    const model::Measurement& measurement = recording.measurements[*row];
    if (!search::analysis::has_time(measurement) || measurement.counters.empty()) return;
    ordered_json form = {{"of", of}};
    form.update(json_output::diagnosis_json(
        profiling::diagnosis::diagnose(explaining::diagnosis_input(recording, measurement, &effects))));
    list.push_back(std::move(form));
  };
  add("the best", workload.best_configuration);
  if (model::key_of(workload.best_configuration) != model::key_of(recording.default_configuration))
    add("the default", recording.default_configuration);
  return list;
}

}  // namespace warptune::tuner::html_report
