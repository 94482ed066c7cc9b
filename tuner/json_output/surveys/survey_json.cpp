#include "tuner/json_output/surveys/survey_json.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "survey/analysis/short_kernel_name.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/json_output/surveys/counters_json.h"

namespace warptune::tuner::json_output::surveys {

using nlohmann::ordered_json;
using survey::analysis::Change;
using survey::analysis::CopyGroup;
using survey::analysis::DeviceTime;
using SurveyFinding = survey::analysis::Finding;
using survey::analysis::IdleCause;
using survey::analysis::KernelTime;
using survey::analysis::SurveyAnalysis;
using survey::records::Survey;

namespace {

// The name of an enumerator as JSON has it, with underscores for spaces: "host to device" becomes
// "host_to_device".
std::string as_identifier(std::string_view words) {
  std::string text(words);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

std::string_view end_text(survey::records::ProcessEnd end) {
  static constexpr std::string_view kNames[] = {"exited", "killed", "still_running"};
  return kNames[static_cast<std::size_t>(end)];
}

ordered_json run_json(const Survey& survey, const SurveyAnalysis& analysis) {
  const survey::records::Run& run = survey.run;
  return {{"command", run.command},
          {"duration_ns", run.duration},
          {"window_ns", run.window.duration()},
          {"observed_ns", analysis.observed},
          {"exit_code", value_or_null(run.exit_code)},
          {"signal", value_or_null(run.signal)},
          {"range", text_or_null(run.range)},
          {"started_ms", known_or_null(run.started_ms)},
          {"host_system", text_or_null(run.host_system)},
          {"warptune_version", text_or_null(run.warptune_version)},
          {"problem", text_or_null(run.problem)},
          {"counting_problem", text_or_null(run.counting_problem)}};
}

ordered_json process_json(const survey::records::Process& process) {
  return {{"pid", process.pid},
          {"command", process.command},
          {"duration_ns", process.time.duration()},
          {"end", end_text(process.end)},
          {"driver_version", known_or_null(process.driver_version)},
          {"cupti_version", known_or_null(process.cupti_version)},
          {"dropped_count", process.dropped},
          {"left_out_count", process.left_out},
          {"unnamed_count", process.unnamed},
          {"problem", text_or_null(process.problem)}};
}

ordered_json idle_json(const DeviceTime& time) {
  ordered_json idle = ordered_json::object();
  for (std::size_t i = 0; i < survey::analysis::kIdleCauses; ++i)
    idle[std::string(to_string(static_cast<IdleCause>(i)))] = time.idle_by_cause[i];
  return idle;
}

// How a GPU spent a part of the run.
ordered_json part_json(const DeviceTime& time) {
  return {{"window_ns", time.window},
          {"kernels_ns", time.kernels},
          {"copies_only_ns", time.copies_only},
          {"idle_ns", time.idle},
          {"idle_by_cause_ns", idle_json(time)}};
}

ordered_json device_json(const Survey& survey, const SurveyAnalysis& analysis, const DeviceTime& time) {
  const bool has_steady = time.device < analysis.steady_devices.size();
  const survey::records::Device& device = survey.devices[time.device];
  return {{"gpu", gpu_json(device.gpu)},
          {"uuid", text_or_null(device.uuid)},
          {"window_ns", time.window},
          {"kernels_ns", time.kernels},
          {"copies_only_ns", time.copies_only},
          {"idle_ns", time.idle},
          {"idle_by_cause_ns", idle_json(time)},
          {"overlapped_ns", time.overlapped},
          {"copies_beside_kernels_ns", time.copies_beside_kernels},
          {"copies_could_overlap_ns", time.copies_could_overlap},
          {"stream_count", time.streams},
          {"streams_could_overlap_ns", time.streams_could_overlap},
          {"after_start_up",
           has_steady ? part_json(analysis.steady_devices[time.device]) : ordered_json(nullptr)}};
}

ordered_json start_up_json(const SurveyAnalysis& analysis) {
  const survey::analysis::StartUp& start_up = analysis.start_up;
  return {{"first_call_at_ns", value_or_null(start_up.first_call)},
          {"first_launch_at_ns", value_or_null(start_up.first_launch)},
          {"end_ns", start_up.end},
          {"duration_ns", start_up.duration},
          {"load_count", start_up.loads},
          {"loading_ns", start_up.loading},
          {"last_activity_ns",
           analysis.steady_devices.empty() ? ordered_json(nullptr) : ordered_json(analysis.steady.end)}};
}

ordered_json limiters_json(const KernelTime& kernel) {
  ordered_json limiters = ordered_json::array();
  for (const profiling::diagnosis::OccupancyLimiter limiter : kernel.occupancy_limiters)
    limiters.push_back(as_identifier(to_string(limiter)));
  return limiters;
}

ordered_json kernel_json(const Survey& survey, const KernelTime& kernel) {
  constexpr std::size_t kShort = 60;
  const std::string& name = survey.names[kernel.name];
  return {{"name", name},
          {"short_name", survey::analysis::short_kernel_name(name, kShort)},
          {"launch_count", kernel.launches},
          {"short_launch_count", kernel.short_launches},
          {"duration_ns", kernel.duration},
          {"duration_share", kernel.share},
          {"minimum_ns", kernel.minimum},
          {"median_ns", kernel.median},
          {"maximum_ns", kernel.maximum},
          {"bound_ratio", kernel.bound},
          {"occupancy_share", finite_or_null(kernel.occupancy)},
          {"occupancy_limiters", limiters_json(kernel)},
          {"usual_shape", shape_json(survey.shapes[kernel.usual_shape])}};
}

ordered_json copies_json(const CopyGroup& group) {
  return {{"direction", as_identifier(survey::records::to_string(group.direction))},
          {"source", as_identifier(survey::records::to_string(group.source))},
          {"destination", as_identifier(survey::records::to_string(group.destination))},
          {"asynchronous", group.asynchronous},
          {"count", group.count},
          {"bytes", group.bytes},
          {"duration_ns", group.duration},
          {"bytes_per_s", finite_or_null(group.bytes_per_s)},
          {"host_link_share", finite_or_null(group.host_link_share)}};
}

ordered_json fills_json(const survey::analysis::summaries::FillGroup& group) {
  return {{"destination", as_identifier(to_string(group.destination))},
          {"count", group.count},
          {"bytes", group.bytes},
          {"duration_ns", group.duration},
          {"bytes_per_s", finite_or_null(group.bytes_per_s)}};
}

ordered_json graph_json(const Survey& survey, const survey::analysis::summaries::GraphLaunches& graph) {
  return {{"pid", survey.processes[graph.process].pid},
          {"number", graph.graph},
          {"launch_count", graph.launches},
          {"kernel_count", graph.kernels},
          {"copy_count", graph.copies},
          {"fill_count", graph.fills},
          {"duration_ns", graph.duration}};
}

ordered_json calls_json(const Survey& survey, const survey::analysis::summaries::CallGroup& group) {
  return {{"name", survey.names[group.name]},
          {"kind", as_identifier(to_string(group.kind))},
          {"count", group.count},
          {"duration_ns", group.time.total},
          {"median_ns", group.time.median},
          {"maximum_ns", group.time.maximum}};
}

ordered_json ranges_json(const Survey& survey, const survey::analysis::summaries::MarkedRanges& ranges) {
  return {{"name", survey.names[ranges.name]},
          {"count", ranges.count},
          {"duration_ns", ranges.time.total},
          {"median_ns", ranges.time.median},
          {"maximum_ns", ranges.time.maximum},
          {"open_ns", ranges.open},
          {"busy_ns", ranges.busy},
          {"launch_count", ranges.launches},
          {"gpu_work_ns", ranges.work_duration}};
}

ordered_json survey_finding_json(const SurveyFinding& finding) {
  return {
      {"rule", finding.rule},         {"title", finding.title},
      {"bound_ratio", finding.bound}, {"after_start_up_bound_ratio", finite_or_null(finding.steady_bound)},
      {"evidence", finding.evidence}, {"advice", finding.advice}};
}

ordered_json change_json(const Change& change) {
  return {{"kind", to_string(change.kind)},      {"name", text_or_null(change.name)},
          {"before_ns", change.before},          {"after_ns", change.after},
          {"before_count", change.before_count}, {"after_count", change.after_count}};
}

}  // namespace

ordered_json survey_json(const Survey& survey, const SurveyAnalysis& analysis) {
  ordered_json report = json_head("survey");
  report["run"] = run_json(survey, analysis);
  report["start_up"] = start_up_json(analysis);
  for (const char* list : {"processes", "devices"}) report[list] = ordered_json::array();
  for (const survey::records::Process& process : survey.processes)
    report["processes"].push_back(process_json(process));
  for (const DeviceTime& device : analysis.devices)
    report["devices"].push_back(device_json(survey, analysis, device));
  report["idle_is_uncertain"] = analysis.idle_is_uncertain;
  report["launch_count"] = analysis.launches;
  report["short_launch_count"] = analysis.short_launches;
  report["launches_per_s"] = analysis.launches_per_second;
  report["host_link_bytes_per_s"] = finite_or_null(analysis.host_link_bytes_per_s);
  report["host_link_is_measured"] = analysis.host_link_is_measured;
  for (const char* list : {"findings", "kernels", "counted_kernels", "counted_graphs", "copies", "fills",
                           "graphs", "calls", "ranges"})
    report[list] = ordered_json::array();
  for (const SurveyFinding& finding : analysis.findings)
    report["findings"].push_back(survey_finding_json(finding));
  for (const KernelTime& kernel : analysis.kernels) report["kernels"].push_back(kernel_json(survey, kernel));
  report["counted_kernels"] = counted_kernels_json(survey, analysis);
  report["counted_graphs"] = counted_graphs_json(survey);
  for (const CopyGroup& group : analysis.copies) report["copies"].push_back(copies_json(group));
  for (const survey::analysis::summaries::FillGroup& group : analysis.fills)
    report["fills"].push_back(fills_json(group));
  for (const survey::analysis::summaries::GraphLaunches& graph : analysis.graphs)
    report["graphs"].push_back(graph_json(survey, graph));
  for (const survey::analysis::summaries::CallGroup& group : analysis.calls)
    report["calls"].push_back(calls_json(survey, group));
  for (const survey::analysis::summaries::MarkedRanges& ranges : analysis.ranges)
    report["ranges"].push_back(ranges_json(survey, ranges));
  return report;
}

ordered_json survey_comparison_json(const survey::analysis::SurveyComparison& comparison) {
  ordered_json report = json_head("survey-comparison");
  report["warnings"] = comparison.warnings;
  report["run"] = change_json(comparison.run);
  report["changes"] = ordered_json::array();
  for (const Change& change : comparison.changes) report["changes"].push_back(change_json(change));
  report["unchanged_count"] = comparison.unchanged;
  return report;
}

}  // namespace warptune::tuner::json_output::surveys
