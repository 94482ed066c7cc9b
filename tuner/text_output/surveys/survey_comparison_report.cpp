#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/surveys/survey_report.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

using survey::analysis::Change;
using survey::analysis::ChangeKind;

namespace {

constexpr std::size_t kChangedName = 50;

std::string duration_text(std::int64_t duration) {
  return base::format_time_ns(static_cast<double>(duration));
}

std::string name_of(const Change& change) {
  if (change.kind == ChangeKind::kKernel)
    return survey::analysis::short_kernel_name(change.name, kChangedName);
  if (change.kind == ChangeKind::kIdle) return "idle: " + change.name;
  return "copies: " + change.name;
}

std::string note_of(const Change& change) {
  if (change.is_new()) return "new";
  if (change.is_gone()) return "gone";
  return change.difference() > 0 ? "slower" : "faster";
}

std::string counts_of(const Change& change) {
  if (change.before_count == 0 && change.after_count == 0) return "";
  return fmt::format("{} -> {}", change.before_count, change.after_count);
}

std::string difference_text(const Change& change) {
  return fmt::format("{}{}", change.difference() < 0 ? "-" : "+",
                     duration_text(change.difference() < 0 ? -change.difference() : change.difference()));
}

}  // namespace

std::string survey_comparison_report(const survey::analysis::SurveyComparison& comparison) {
  const Change& run = comparison.run;
  std::string text;
  for (const std::string& warning : comparison.warnings)
    text += fmt::format("warning: {}\n", base::printable_line(warning));
  text += fmt::format("The run: {} before, {} after ({})\n", duration_text(run.before),
                      duration_text(run.after), difference_text(run));
  if (comparison.changes.empty()) {
    text += "Nothing on the GPUs changed by more than the noise between runs.\n";
  } else {
    TextTable table({"change", "before", "after", "", "count", "what"}, {0, 1, 2});
    for (const Change& change : comparison.changes) {
      const Style style = change.difference() > 0 ? Style::kCaution : Style::kGood;
      table.add({difference_text(change), change.is_new() ? "-" : duration_text(change.before),
                 change.is_gone() ? "-" : duration_text(change.after), note_of(change), counts_of(change),
                 name_of(change)},
                style);
    }
    text += table.text();
  }
  if (comparison.unchanged > 0)
    text += fmt::format("{} changed less than 1 % of the run, or less than 5 % of its own time\n",
                        base::counted(static_cast<std::uint64_t>(comparison.unchanged), "other part"));
  return text;
}

}  // namespace warptune::tuner::text_output::surveys
