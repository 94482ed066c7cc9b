#include "tuner/text_output/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "model/measurement.h"
#include "tuner/text_output/diagnosis_report.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/surveys/program_steps_text.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output {

namespace {

using profiling::diagnosis::ProfileRow;
using profiling::diagnosis::ProfileSection;

std::string row_text(const ProfileRow& row) {
  return row.text.empty() ? format_counter(row.unit, row.value) : row.text;
}

// The widths of the columns, the same in all sections.
struct Widths {
  std::size_t title = 0;
  std::size_t value = 0;
  bool names = true;  // Whether the longest name of a metric fits.
};

Widths widths_of(const std::vector<ProfileSection>& sections, std::size_t terminal) {
  Widths widths;
  std::size_t name = 0;
  for (const ProfileSection& section : sections) {
    for (const ProfileRow& row : section.rows) {
      widths.title = std::max(widths.title, row.title.size());
      widths.value = std::max(widths.value, row_text(row).size());
      name = std::max(name, row.metric.size());
    }
  }
  constexpr std::size_t kGaps = 6;  // Three gaps of two spaces.
  widths.names = terminal == 0 || widths.title + widths.value + name + kGaps <= terminal;
  return widths;
}

std::string section_text(const ProfileSection& section, const Widths& widths) {
  std::string text = fmt::format("\n{}\n", section.title);
  for (const ProfileRow& row : section.rows) {
    const std::string line =
        fmt::format("  {:<{}}  {:>{}}", row.title, widths.title, row_text(row), widths.value);
    text += row.metric.empty() || !widths.names ? line + "\n" : fmt::format("{}  {}\n", line, row.metric);
  }
  return text;
}

std::string missing_text(const std::vector<ProfileSection>& sections) {
  std::vector<std::string> titles;
  std::size_t metrics = 0;
  bool all_are_patched = true;
  for (const ProfileSection& section : sections) {
    metrics += section.missing.size();
    if (!section.missing.empty()) titles.push_back(section.title);
    all_are_patched = all_are_patched &&
                      std::all_of(section.missing.begin(), section.missing.end(), model::needs_patched_code);
  }
  if (metrics == 0) return "";
  return fmt::format(
      "\n{} of these sections {} not counted ({}): only warptune profile on a GPU counts them{}\n",
      base::counted(metrics, "metric"), metrics == 1 ? "was" : "were", fmt::join(titles, ", "),
      all_are_patched ? ", and not in a CUDA graph" : "");
}

constexpr std::size_t kLinesShown = 12;
constexpr std::size_t kReasonsShown = 3;

std::string reasons_text(const profiling::HotLine& line) {
  std::string text;
  for (std::size_t i = 0; i < std::min(line.stalls.size(), kReasonsShown); ++i) {
    const profiling::StallSamples& stall = line.stalls[i];
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", stall.reason,
                        100.0 * static_cast<double>(stall.samples) / static_cast<double>(line.samples));
  }
  return text;
}

std::string hot_lines_text(const profiling::HotLines& hot) {
  if (!hot.problem.empty()) return fmt::format("\nHot lines\n  not sampled: {}\n", hot.problem);
  TextTable table({"share", "line", "warps found", "source"}, {0, 1});
  for (std::size_t i = 0; i < std::min(hot.lines.size(), kLinesShown); ++i) {
    const profiling::HotLine& line = hot.lines[i];
    table.add({fmt::format("{:.1f} %", 100.0 * line.share),
               line.line.number == 0 ? "unknown" : std::to_string(line.line.number), reasons_text(line),
               line.text});
  }
  std::string text =
      fmt::format("\nHot lines: {} of {}{}\n{}", base::counted(hot.samples, "sample"),
                  base::counted(static_cast<std::uint64_t>(hot.launches), "launch", "launches"),
                  hot.dropped > 0 ? fmt::format(", {} more dropped", hot.dropped) : "", table.text());
  if (hot.lines.size() > kLinesShown)
    text += base::counted(hot.lines.size() - kLinesShown, "more line") + "\n";
  return text;
}

std::string raw_text(const model::Counters& counters) {
  TextTable table({"counter", "value"}, {1});
  for (const auto& [name, value] : counters) table.add({name, fmt::format("{:.9g}", value)});
  return "\n" + table.text();
}

std::string counted_text(const explaining::Profile& profile) {
  if (profile.passes == 0) return profile.origin;
  const model::Counters& counters = profile.launch.measurement.counters;
  const auto counted = std::count_if(counters.begin(), counters.end(), [](const auto& counter) {
    return counter.first.find('.') != std::string::npos;  // Only CUPTI's names have a dot.
  });
  return fmt::format("{} in {}, {}", base::counted(static_cast<std::uint64_t>(counted), "metric"),
                     base::counted(profile.passes, "pass", "passes"), profile.origin);
}

}  // namespace

std::string profile_text(const explaining::Profile& profile, bool raw, std::size_t width) {
  const model::Measurement& measurement = profile.launch.measurement;
  std::string text = fmt::format("{}\n{}\n{}: {}\n", profile.heading, counted_text(profile), profile.which,
                                 model::to_text(measurement.configuration));
  if (measurement.status == model::Status::kDropped)
    text += "dropped early as too slow: its time is the first estimate\n";
  const std::vector<ProfileSection> sections = profiling::diagnosis::profile_sections(profile.launch);
  const Widths widths = widths_of(sections, width);
  for (const ProfileSection& section : sections) {
    if (!section.rows.empty()) text += section_text(section, widths);
  }
  text += missing_text(sections);
  if (profile.hot_lines) text += hot_lines_text(*profile.hot_lines);
  if (profile.program)
    text += surveys::program_steps_text(*profile.program, model::median_ns_of(measurement).value_or(0.0),
                                        "Steps of the host program");
  text += "\nDiagnosis\n" + diagnosis_text(profile.diagnosis);
  if (raw) text += raw_text(measurement.counters);
  return wrap_lines(text, width);
}

}  // namespace warptune::tuner::text_output
