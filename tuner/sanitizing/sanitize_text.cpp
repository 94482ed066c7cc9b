#include "tuner/sanitizing/sanitize_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::sanitizing {

namespace {

using text_output::Style;
using text_output::TextTable;

std::string position_text(const SanitizerPlace& place) {
  return place.line.number > 0 ? base::to_string(base::SourcePosition{place.line.file, place.line.number, 0})
                               : fmt::format("in {}", place.function);
}

std::string count_text(std::uint64_t errors, std::uint64_t warnings) {
  std::string text = errors > 0 ? base::counted(errors, "error") : "";
  if (warnings > 0) text += (text.empty() ? "" : ", ") + base::counted(warnings, "warning");
  return text.empty() ? "nothing found" : text;
}

std::string result_text(const ToolRun& run) {
  if (!run.skipped.empty()) return "not run: " + run.skipped;
  const auto errors = static_cast<std::uint64_t>(
      std::count_if(run.findings.begin(), run.findings.end(), [](const auto& one) { return one.is_error; }));
  std::string found = count_text(errors, run.findings.size() - errors);
  if (run.problem.empty()) return found;
  return run.findings.empty() ? "not complete: " + run.problem : found + "; not complete: " + run.problem;
}

Style style_of(const ToolRun& run) {
  const bool has_error = std::any_of(run.findings.begin(), run.findings.end(),
                                     [](const SanitizerFinding& one) { return one.is_error; });
  if (has_error) return Style::kBad;
  const bool is_clean = run.findings.empty() && run.problem.empty() && run.skipped.empty();
  return is_clean ? Style::kGood : Style::kCaution;
}

std::string finding_text(const SanitizerFinding& finding, SanitizerTool tool) {
  const std::string where = finding.places.empty() ? "" : position_text(finding.places.front()) + ": ";
  const std::string times = finding.count > 1 ? fmt::format(", {} times", finding.count) : "";
  std::string text = fmt::format("\n{}{}: {} [{}{}]\n", where, finding.is_error ? "error" : "warning",
                                 finding.message, to_string(tool), times);
  for (const SanitizerPlace& place : finding.places) {
    text += place.role == "at"
                ? fmt::format("  in {}\n", place.function)
                : fmt::format("  {}: {}, {}\n", place.role, position_text(place), place.function);
    if (!place.text.empty()) text += fmt::format("    {} | {}\n", place.line.number, place.text);
  }
  for (const std::string& detail : finding.details) text += fmt::format("  {}\n", detail);
  return text;
}

std::string configuration_text(const SanitizedConfiguration& one) {
  std::string text = fmt::format("\n{}: {}\nlaunched for {}\n", one.which, model::to_text(one.configuration),
                                 model::to_text(one.problem));
  if (!one.obstacle.empty()) return text + fmt::format("not launched: {}\n", one.obstacle);
  TextTable table({"tool", "seconds", "result"}, {1});
  for (const ToolRun& run : one.tools) {
    const std::string seconds = run.skipped.empty() ? fmt::format("{:.1f}", run.elapsed_s) : "";
    table.add({std::string(to_string(run.tool)), seconds, result_text(run)}, style_of(run));
  }
  text += table.text();
  for (const ToolRun& run : one.tools) {
    for (const SanitizerFinding& finding : run.findings) text += finding_text(finding, run.tool);
    if (!run.messages.empty()) text += fmt::format("\n{} also wrote:\n", to_string(run.tool));
    for (const std::string& message : run.messages) text += fmt::format("  {}\n", message);
  }
  return text;
}

}  // namespace

std::string sanitize_text(const SanitizeReport& report) {
  std::string text = fmt::format("{} on {}, checked by {}\n", report.workload.kernel,
                                 report.workload.gpu.name, report.program.string());
  for (const SanitizedConfiguration& one : report.configurations) text += configuration_text(one);
  if (report.unfinished() == 0)
    return text + fmt::format("\n{}\n", count_text(report.errors(), report.warnings()));
  const bool has_findings = report.errors() + report.warnings() > 0;
  return text + fmt::format("\n{}{} not complete\n",
                            has_findings ? count_text(report.errors(), report.warnings()) + "; " : "",
                            base::counted(report.unfinished(), "check is", "checks are"));
}

}  // namespace warptune::tuner::sanitizing
