#include "tuner/cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/detail/diagnosis_json.h"
#include "tuner/detail/json_forms.h"
#include "tuner/diagnosis_report.h"
#include "tuner/report.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

using profiling::ProfileRow;
using profiling::ProfileSection;

std::string value_text(const ProfileRow& row) {
  return row.text.empty() ? format_counter(row.unit, row.value) : row.text;
}

// Titles and values stand below each other in all sections.
struct Widths {
  std::size_t title = 0;
  std::size_t value = 0;
};

Widths widths_of(const std::vector<ProfileSection>& sections) {
  Widths widths;
  for (const ProfileSection& section : sections) {
    for (const ProfileRow& row : section.rows) {
      widths.title = std::max(widths.title, row.title.size());
      widths.value = std::max(widths.value, value_text(row).size());
    }
  }
  return widths;
}

std::string section_text(const ProfileSection& section, const Widths& widths) {
  std::string text = fmt::format("\n{}\n", section.title);
  for (const ProfileRow& row : section.rows) {
    const std::string line =
        fmt::format("  {:<{}}  {:>{}}", row.title, widths.title, value_text(row), widths.value);
    text += row.metric.empty() ? line + "\n" : fmt::format("{}  {}\n", line, row.metric);
  }
  return text;
}

std::string missing_text(const std::vector<ProfileSection>& sections) {
  std::vector<std::string> titles;
  std::size_t metrics = 0;
  for (const ProfileSection& section : sections) {
    metrics += section.missing.size();
    if (!section.missing.empty()) titles.push_back(section.title);
  }
  if (metrics == 0) return "";
  return fmt::format(
      "\n{} metrics of these sections were not counted ({}); warptune profile reads them on a GPU\n", metrics,
      fmt::join(titles, ", "));
}

std::string raw_text(const search::Counters& counters) {
  TextTable table({"counter", "value"}, {1});
  for (const auto& [name, value] : counters) table.add({name, fmt::format("{:.9g}", value)});
  return "\n" + table.text();
}

std::string counted_text(const ShownProfile& profile) {
  if (profile.passes == 0) return profile.origin;
  return fmt::format("{} metrics in {} passes, {}", profile.launch.measurement.counters.size(),
                     profile.passes, profile.origin);
}

}  // namespace

std::string profile_text(const ShownProfile& profile) {
  const search::Measurement& measurement = profile.launch.measurement;
  std::string text = fmt::format("{} {} on {}, {} L2 cache\n{}\n{}: {}\n", profile.subject.kernel,
                                 search::to_text(profile.subject.problem), profile.subject.gpu.name,
                                 search::to_string(profile.subject.cache), counted_text(profile),
                                 profile.which, search::to_text(measurement.configuration));
  const std::vector<ProfileSection> sections = profiling::profile_sections(profile.launch);
  const Widths widths = widths_of(sections);
  for (const ProfileSection& section : sections) {
    if (!section.rows.empty()) text += section_text(section, widths);
  }
  text += missing_text(sections);
  text += "\nDiagnosis\n" + diagnosis_text(profile.diagnosis);
  if (profile.raw) text += raw_text(measurement.counters);
  return text;
}

std::string profile_json(const ShownProfile& profile) {
  nlohmann::ordered_json report;
  report["kernel"] = profile.subject.kernel;
  report["kernel_hash"] = profile.subject.kernel_hash;
  report["problem"] = detail::to_ordered_json(profile.subject.problem);
  report["gpu"] = profile.subject.gpu.name;
  report["cache"] = search::to_string(profile.subject.cache);
  report["which"] = profile.which;
  report["origin"] = profile.origin;
  report["passes"] = profile.passes;
  report["measurement"] = detail::measurement_report(profile.launch.measurement);
  report["sections"] = nlohmann::ordered_json::array();
  for (const ProfileSection& section : profiling::profile_sections(profile.launch)) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const ProfileRow& row : section.rows) {
      nlohmann::ordered_json entry{{"title", row.title}};
      if (!row.metric.empty()) entry["metric"] = row.metric;
      if (row.text.empty()) {
        entry["value"] = row.value;
        entry["unit"] = row.unit;
      } else {
        entry["text"] = row.text;
      }
      rows.push_back(std::move(entry));
    }
    report["sections"].push_back({{"title", section.title}, {"rows", rows}, {"missing", section.missing}});
  }
  report["diagnosis"] = detail::diagnosis_json(profile.diagnosis);
  return detail::to_text(report);
}

}  // namespace warptune::tuner::cli
