#include "tuner/sanitizing/sanitize_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::sanitizing {

namespace {

using json_output::finite_or_null;
using json_output::text_or_null;
using nlohmann::ordered_json;

ordered_json sanitizer_place_json(const SanitizerPlace& place) {
  const base::SourcePosition position{place.line.file, place.line.number, 0};
  return {{"role", place.role},
          {"function", place.function},
          {"place", json_output::place_json(position)},
          {"text", text_or_null(place.text)}};
}

ordered_json sanitizer_finding_json(const SanitizerFinding& finding) {
  ordered_json places = ordered_json::array();
  for (const SanitizerPlace& place : finding.places) places.push_back(sanitizer_place_json(place));
  return {{"severity", finding.is_error ? "error" : "warning"},
          {"message", finding.message},
          {"report_count", finding.count},
          {"places", std::move(places)},
          {"details", finding.details}};
}

ordered_json tool_json(const ToolRun& run) {
  ordered_json findings = ordered_json::array();
  for (const SanitizerFinding& finding : run.findings) findings.push_back(sanitizer_finding_json(finding));
  return {{"tool", to_string(run.tool)},
          {"complete", run.problem.empty() && run.skipped.empty()},
          {"problem", text_or_null(run.problem)},
          {"skipped", text_or_null(run.skipped)},
          {"elapsed_s", finite_or_null(run.elapsed_s)},
          {"findings", std::move(findings)},
          {"messages", run.messages}};
}

}  // namespace

std::string sanitize_json(const SanitizeReport& report) {
  ordered_json output = json_output::json_head("profile-sanitize");
  output["workload"] = json_output::workload_json(report.workload);
  output["program"] = report.program.string();
  output["error_count"] = report.errors();
  output["warning_count"] = report.warnings();
  output["unfinished_count"] = report.unfinished();
  output["configurations"] = ordered_json::array();
  for (const SanitizedConfiguration& one : report.configurations) {
    ordered_json tools = ordered_json::array();
    for (const ToolRun& run : one.tools) tools.push_back(tool_json(run));
    output["configurations"].push_back({{"which", one.which},
                                        {"configuration", json_output::values_json(one.configuration)},
                                        {"problem", json_output::values_json(one.problem)},
                                        {"obstacle", text_or_null(one.obstacle)},
                                        {"tools", std::move(tools)}});
  }
  return json_output::to_text(output);
}

}  // namespace warptune::tuner::sanitizing
