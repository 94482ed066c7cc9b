#include "tuner/lab/lab_report.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tuner/json_output/json_codec.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_tables.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::lab {

namespace {

using nlohmann::ordered_json;

std::string text_of(const LabTable& cells) {
  text_output::TextTable table(cells.heading);
  for (const std::vector<std::string>& row : cells.rows) table.add(row);
  return table.text();
}

// Wraps a text into lines of at most `width` characters, each indented by `indent` spaces. Words are not
// split. A width of 0 sets no limit.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  std::string words = text;
  for (char& c : words) c = c == '\n' ? ' ' : c;
  for (const std::string& word : base::split(words, ' ')) {
    if (word.empty()) continue;
    if (width > 0 && !line.empty() && indent + line.size() + 1 + word.size() > width) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
  return out;
}

std::string claim_text(const JudgedClaim& claim, std::size_t width) {
  std::string text = wrapped(claim.claim->text + ":", width, 0);
  if (claim.verdict == LabVerdict::kUnknown)
    return text + wrapped("UNDETERMINED: " + claim.because, width, 2);
  std::string verdict(to_string(claim.verdict));
  for (char& c : verdict) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string line = fmt::format("{}: measured {}", verdict, claim_value_text(claim));
  if (claim.claim->expected) line += fmt::format(", claimed {}", lab_number(*claim.claim->expected));
  if (!claim.is_certain) line += "; the interval also contains values with another verdict";
  text += wrapped(line, width, 2) + wrapped(claim.because, width, 2);
  for (const JudgedEvidence& evidence : claim.evidence)
    text += wrapped("- " + evidence_text(evidence), width, 4);
  return text;
}

ordered_json claim_json(const JudgedClaim& claim) {
  ordered_json json = {{"claim", claim.claim->text}, {"verdict", to_string(claim.verdict)}};
  if (claim.verdict != LabVerdict::kUnknown) {
    json["value"] = claim.value;
    json["interval"] = {claim.low, claim.high};
    json["unit"] = claim.claim->unit;
    json["certain"] = claim.is_certain;
  }
  if (claim.claim->expected) json["claimed"] = *claim.claim->expected;
  json["because"] = claim.because;
  json["evidence"] = ordered_json::array();
  for (const JudgedEvidence& evidence : claim.evidence) {
    ordered_json values = ordered_json::array();
    for (const std::optional<double>& value : evidence.values)
      values.push_back(value ? ordered_json(*value) : ordered_json(nullptr));
    json["evidence"].push_back({{"text", evidence.text}, {"values", values}});
  }
  return json;
}

ordered_json theory_json(const JudgedTheory& theory) {
  ordered_json json = {{"text", theory.row->text},
                       {"metric", theory.row->metric},
                       {"tolerance", theory.row->tolerance},
                       {"within", theory.within}};
  if (theory.value) {
    json["expected"] = theory.expected;
    json["value"] = *theory.value;
  } else {
    json["problem"] = theory.problem;
  }
  return json;
}

ordered_json table_json(const LabResult& result, std::size_t table) {
  const kernel_templates::ExperimentTable& written = result.plan.experiment.tables[table];
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < written.rows.size(); ++i) {
    const LabRow& row = result.rows[table][i];
    ordered_json json = {{"id", written.rows[i].id}, {"label", written.rows[i].label}};
    if (row.measurement) {
      const model::Recording& recording = result.recordings[row.session.value()];
      json["kernel"] = recording.workload.kernel;
      json["problem"] = json_output::to_ordered_json(recording.workload.problem);
      json["measurement"] =
          json_output::measurement_report(*row.measurement, recording.work, recording.roofs);
    } else {
      json["reason"] = row.reason;
    }
    rows.push_back(std::move(json));
  }
  return {{"name", written.name}, {"title", written.title}, {"rows", rows}};
}

ordered_json experiment_json(const LabResult& result, const LabJudgement& judgement) {
  ordered_json json = {{"experiment", result.plan.experiment.name},
                       {"title", result.plan.experiment.title},
                       {"gpu", result.plan.gpu.name},
                       {"roofs", json_output::to_ordered_json(result.roofs())}};
  for (const char* list : {"claims", "theory", "tables"}) json[list] = ordered_json::array();
  for (const JudgedClaim& claim : judgement.claims) json["claims"].push_back(claim_json(claim));
  for (const JudgedTheory& theory : judgement.theory) json["theory"].push_back(theory_json(theory));
  for (std::size_t table = 0; table < result.rows.size(); ++table)
    json["tables"].push_back(table_json(result, table));
  return json;
}

}  // namespace

std::string lab_text(const LabResult& result, const LabJudgement& judgement, std::size_t width) {
  const kernel_templates::Experiment& experiment = result.plan.experiment;
  const LabNumbers numbers(result);
  std::string text = fmt::format("{} [{}], on {}\n", experiment.title, experiment.name, result.plan.gpu.name);
  for (std::size_t table = 0; table < experiment.tables.size(); ++table) {
    text += fmt::format("\n{}\n{}\n\n{}", experiment.tables[table].title, table_workload(result, table),
                        text_of(table_cells(result, numbers, table)));
  }
  for (const JudgedClaim& claim : judgement.claims) text += "\n" + claim_text(claim, width);
  if (!judgement.theory.empty())
    text += "\nCounters: theory and measurement\n" + text_of(theory_cells(judgement));
  return text + fmt::format("\n{}: {}\n", experiment.name, verdicts_text(judgement));
}

std::string lab_json(const std::vector<std::pair<const LabResult*, const LabJudgement*>>& experiments) {
  ordered_json all = ordered_json::array();
  for (const auto& [result, judgement] : experiments) all.push_back(experiment_json(*result, *judgement));
  return json_output::to_text(all);
}

}  // namespace warptune::tuner::lab
