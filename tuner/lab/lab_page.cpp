#include "tuner/lab/lab_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <map>
#include <regex>

#include "base/text.h"
#include "tuner/lab/lab_chart.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_tables.h"
#include "tuner/text_output/markdown.h"
#include "tuner/text_output/roof_text.h"

namespace warptune::tuner::lab {

namespace {

constexpr const char* kMeasuredHeading =
    "\n## Measured\n\n"
    "Each time is a median with its 95 % interval.\n"
    "A relative time is the row's time divided by the time of the row that shows 1: below 1 is faster.\n"
    "The last column names the main faults that `warptune profile` finds in the row "
    "([diagnosis.md](../diagnosis.md)).\n";

constexpr const char* kTheoryHeading =
    "\n## Counters: theory and measurement\n\n"
    "If a counter counts what its name says, theory gives its value. Each row compares this value with "
    "the\n"
    "measured one, for one counter or for a ratio that is formed from it. A recording keeps six significant "
    "digits of a counter.\n\n";

std::string markdown_of(const LabTable& cells) {
  std::string text = text_output::markdown_head(cells.heading);
  for (const std::vector<std::string>& row : cells.rows) {
    std::vector<std::string> line;
    line.reserve(row.size());
    for (const std::string& cell : row) line.push_back(text_output::markdown_cell(cell));
    text += text_output::markdown_row(line);
  }
  return text;
}

std::string paragraph(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text + "\n";
}

bool uses_only_value(const model::Expression& condition) {
  return condition.variables() == std::vector<std::string>{"value"};
}

// A condition on `value` in words: "at least 0.9", "at least 1.8 and at most 2.2" or "within 0.1 of 1".
// Other conditions are shown as code.
std::string condition_in_words(const std::string& condition) {
  static const std::regex kDistance(R"(abs\(value - ([0-9.]+)\) <= ([0-9.]+))");
  static const std::regex kBounds(R"(value (<=|>=|<|>) ([0-9.]+)(?: && value (<=|>=|<|>) ([0-9.]+))?)");
  static const std::map<std::string, std::string> kWords = {
      {"<=", "at most"}, {">=", "at least"}, {"<", "less than"}, {">", "more than"}};
  std::smatch match;
  if (std::regex_match(condition, match, kDistance))
    return fmt::format("within {} of {}", match.str(2), match.str(1));
  if (!std::regex_match(condition, match, kBounds)) return fmt::format("such that `{}`", condition);
  std::string words = kWords.at(match.str(1)) + " " + match.str(2);
  if (match[3].matched) words += " and " + kWords.at(match.str(3)) + " " + match.str(4);
  return words;
}

// What decides between the verdicts. Conditions that use other names than `value` are left out: only the
// experiment's file explains those names.
std::string rule_text(const kernel_templates::Claim& claim) {
  if (!uses_only_value(claim.holds)) return "";
  std::string text =
      fmt::format(" The claim holds if the measured value is {}", condition_in_words(claim.holds.text()));
  if (claim.weaker && uses_only_value(*claim.weaker))
    text += fmt::format(", and partially holds if it is {}", condition_in_words(claim.weaker->text()));
  return text + ".";
}

// The measured value, after the words of the experiment that say which configuration it belongs to.
std::string value_with_configuration(const JudgedClaim& claim) {
  const std::string& with = claim.claim->measured;
  return (with.empty() ? "" : with + ": ") + claim_value_text(claim);
}

std::string measured_and_expected(const JudgedClaim& claim) {
  const std::string& with = claim.claim->measured;
  std::string text = fmt::format("Measured{}: {}.", with.empty() ? "" : " " + with, claim_value_text(claim));
  if (claim.claim->expected) text += fmt::format(" Expected: {}.", lab_number(*claim.claim->expected));
  text += rule_text(*claim.claim);
  if (!claim.is_certain) text += " Some values of the interval would give another verdict.";
  return text;
}

std::string claim_section(const JudgedClaim& claim, std::size_t number) {
  std::string verdict(to_string(claim.verdict));
  verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
  std::string text = fmt::format("\n### {}. {}\n\n**{}.** ", number, claim.claim->text, verdict);
  if (claim.verdict == LabVerdict::kUnknown) {
    text += paragraph(claim.because);
  } else {
    text += measured_and_expected(claim) + "\n\n" + paragraph(claim.because);
  }
  text += "\n";
  for (const JudgedEvidence& evidence : claim.evidence) text += "- " + evidence_text(evidence) + "\n";
  return text;
}

std::string heading(const LabResult& result, const LabJudgement& judgement) {
  const model::Environment environment = result.environment();
  return fmt::format(
      "# {}\n\n{}. Claims: {}.\n\nMeasured on one {} ({}, {} SMs) with CUDA driver {} and NVRTC {}.\n"
      "The highest rates that warptune measured on this GPU (its roofs): {}.\n"
      "Written by `warptune lab {} --replay --pages docs/lab`. [How to read this "
      "page](../lab.md#reading-a-page).\n",
      result.plan.experiment.title, result.plan.experiment.summary, verdicts_text(judgement),
      result.plan.gpu.name, result.plan.gpu.architecture(), result.plan.gpu.sm_count,
      model::driver_text(environment), model::cuda_version_text(environment.nvrtc_version),
      text_output::roofs_line(result.roofs()), result.plan.experiment.name);
}

}  // namespace

std::vector<LabFile> lab_page(const LabResult& result, const LabJudgement& judgement) {
  const kernel_templates::Experiment& experiment = result.plan.experiment;
  const LabNumbers numbers(result);
  std::vector<LabFile> files(1);
  std::string text = heading(result, judgement) + "\n" + paragraph(experiment.about) + "\n## Claims\n";
  for (std::size_t i = 0; i < judgement.claims.size(); ++i) text += claim_section(judgement.claims[i], i + 1);
  text += kMeasuredHeading;
  for (std::size_t table = 0; table < experiment.tables.size(); ++table) {
    text += fmt::format("\n### {}\n\n{}. In `{}.toml` this table is called `{}`.\n\n",
                        experiment.tables[table].title, table_workload(result, table), experiment.name,
                        experiment.tables[table].name);
    text += markdown_of(table_cells(result, numbers, table));
  }
  for (std::size_t i = 0; i < experiment.charts.size(); ++i) {
    const std::string file = fmt::format("{}-{}.svg", experiment.name, i + 1);
    files.emplace_back(file, lab_chart(result, numbers, experiment.charts[i]));
    text += fmt::format("\n![{}]({})\n", experiment.charts[i].title, file);
  }
  if (!judgement.theory.empty()) text += kTheoryHeading + markdown_of(theory_cells(judgement));
  if (!experiment.sources.empty()) text += "\n## Sources\n\n";
  for (const std::string& source : experiment.sources) text += "- " + source + "\n";
  files.front() = {experiment.name + ".md", base::printable(text)};
  return files;
}

LabFile lab_index(const std::vector<std::pair<const LabResult*, const LabJudgement*>>& experiments,
                  const std::vector<std::string>& unrecorded) {
  std::string text =
      "# What the lab found\n\nEach experiment tests claims of textbooks on one GPU. [lab.md](../lab.md) "
      "says how, "
      "and what the verdicts mean.\n"
      "An expected number has the unit of the measured one. The cell is empty if the claim implies no "
      "number.\n"
      "The words before a measured value say which configuration it belongs to.\n"
      "Written by `warptune lab --all --replay --pages docs/lab`.\n\n" +
      text_output::markdown_head({"experiment", "GPU", "claim", "expected", "measured", "verdict"});
  std::size_t measured = 0;
  std::size_t within = 0;
  for (const auto& [result, judgement] : experiments) {
    const kernel_templates::Experiment& experiment = result->plan.experiment;
    measured += judgement->theory_measured();
    within += judgement->theory_within();
    for (std::size_t i = 0; i < judgement->claims.size(); ++i) {
      const JudgedClaim& claim = judgement->claims[i];
      const bool known = claim.verdict != LabVerdict::kUnknown;
      text += text_output::markdown_row(
          {i == 0 ? fmt::format("[{}]({}.md)", experiment.name, experiment.name) : "",
           i == 0 ? result->plan.gpu.name : "", text_output::markdown_cell(claim.claim->text),
           claim.claim->expected ? lab_number(*claim.claim->expected) : "",
           known ? text_output::markdown_cell(value_with_configuration(claim)) : "",
           std::string(to_string(claim.verdict))});
    }
  }
  text += fmt::format(
      "\nThe pages of the experiments also compare counters with the values that theory gives: {} of {} "
      "comparisons are within their tolerance.\n",
      within, measured);
  if (!unrecorded.empty())
    text +=
        fmt::format("\nThese experiments have no recorded run, so nothing is known about their claims: {}.\n",
                    fmt::join(unrecorded, ", "));
  return {"README.md", base::printable(text)};
}

}  // namespace warptune::tuner::lab
