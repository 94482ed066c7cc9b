#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/surveys/report_words.h"
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

// The words of the report for the name of a cause.
std::string idle_text(const std::string& name) {
  for (std::size_t i = 0; i < survey::analysis::kIdleCauses; ++i) {
    const auto cause = static_cast<survey::analysis::IdleCause>(i);
    if (survey::analysis::to_string(cause) == name) return std::string(idle_cause_text(cause));
  }
  return name;
}

std::string name_of(const Change& change) {
  if (change.kind == ChangeKind::kKernel)
    return survey::analysis::short_kernel_name(change.name, kChangedName);
  if (change.kind == ChangeKind::kIdle) return "idle: " + idle_text(change.name);
  return "copies: " + change.name;
}

// The mean time of one launch or copy.
double time_of_one(const Change& change, bool after) {
  const std::int64_t count = after ? change.after_count : change.before_count;
  return static_cast<double>(after ? change.after : change.before) /
         static_cast<double>(std::max<std::int64_t>(count, 1));
}

bool has_same_time_of_one(const Change& change) {
  const double before = time_of_one(change, false);
  const double after = time_of_one(change, true);
  return std::abs(after - before) < survey::analysis::kNoiseOfPart * std::max(before, after);
}

std::string note_of(const Change& change) {
  if (change.is_new()) return "new";
  if (change.is_gone()) return "gone";
  if (change.before_count == change.after_count) return change.difference() > 0 ? "slower" : "faster";
  const char* const more = change.after_count > change.before_count ? "more" : "fewer";
  if (has_same_time_of_one(change)) return more;
  const bool is_slower = time_of_one(change, true) > time_of_one(change, false);
  return fmt::format("{}, each {}", more, is_slower ? "slower" : "faster");
}

std::string times_of_one(const Change& change) {
  const auto text = [&](bool after) { return base::format_time_ns(time_of_one(change, after)); };
  if (change.before_count == 0 && change.after_count == 0) return "";
  if (change.is_new()) return text(true);
  if (change.is_gone() || text(false) == text(true)) return text(false);
  return fmt::format("{} -> {}", text(false), text(true));
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
    TextTable table({"change", "before", "after", "", "count", "each", "what"}, {0, 1, 2});
    for (const Change& change : comparison.changes) {
      const Style style = change.difference() > 0 ? Style::kCaution : Style::kGood;
      table.add({difference_text(change), change.is_new() ? "-" : duration_text(change.before),
                 change.is_gone() ? "-" : duration_text(change.after), note_of(change), counts_of(change),
                 times_of_one(change), name_of(change)},
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
