#include "tuner/lab/lab_report.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_tables.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::lab {

namespace {

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
  const std::string& with = claim.claim->measured;
  std::string line =
      fmt::format("{}: measured {}{}", verdict, with.empty() ? "" : with + ": ", claim_value_text(claim));
  if (claim.claim->expected) line += fmt::format(", expected {}", lab_number(*claim.claim->expected));
  if (!claim.is_certain) line += "; the interval also contains values with another verdict";
  text += wrapped(line, width, 2) + wrapped(claim.because, width, 2);
  for (const JudgedEvidence& evidence : claim.evidence)
    text += wrapped("- " + evidence_text(evidence), width, 4);
  return text;
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

}  // namespace warptune::tuner::lab
