#include "tuner/survey_page/survey_page_analysis.h"

#include <iterator>
#include <string>
#include <utility>

#include "survey/analysis/counted_graphs.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/surveys/counters_report.h"
#include "tuner/text_output/surveys/host_tables.h"
#include "tuner/text_output/surveys/work_tables.h"

namespace warptune::tuner::survey_page {

namespace {

using Json = nlohmann::ordered_json;
using namespace survey::analysis;

// In the order of `IdleCause`.
constexpr const char* kCauses[] = {"the program's threads do other work",
                                   "launching",
                                   "waiting for the GPU",
                                   "a copy's call",
                                   "allocation",
                                   "loading code"};
static_assert(std::size(kCauses) == kIdleCauses);

Json device_json(const survey::records::Survey& survey, const DeviceTime& device) {
  Json made = {{"name", survey.devices[device.device].gpu.name},
               {"number", device.device},
               {"unused", device.unused},
               {"window_ns", device.window},
               {"kernels_ns", device.kernels},
               {"copies_only_ns", device.copies_only},
               {"idle_ns", device.idle},
               {"overlapped_ns", device.overlapped},
               {"idle_causes", Json::array()}};
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    if (device.idle_by_cause[i] > 0) made["idle_causes"].push_back({kCauses[i], device.idle_by_cause[i]});
  }
  return made;
}

// The width of the cell for a kernel's name, in characters.
constexpr std::size_t kNameWidth = 40;

Json kernel_json(const survey::records::Survey& survey, const KernelTime& kernel) {
  return {{"name", kernel.name},
          {"short_name", short_kernel_name(survey.names[kernel.name], kNameWidth)},
          {"launches", kernel.launches},
          {"duration_ns", kernel.duration},
          {"minimum_ns", kernel.minimum},
          {"median_ns", kernel.median},
          {"maximum_ns", kernel.maximum},
          {"occupancy", json_output::finite_or_null(kernel.occupancy)},
          {"share", json_output::finite_or_null(kernel.share)},
          {"bound", json_output::finite_or_null(kernel.bound)}};
}

Json copies_json(const CopyGroup& group) {
  return {{"what", kind_of_copy(group)},
          {"count", group.count},
          {"bytes", group.bytes},
          {"duration_ns", group.duration}};
}

Json finding_json(const Finding& finding) {
  return {{"rule", finding.rule},
          {"title", finding.title},
          {"evidence", finding.evidence},
          {"advice", finding.advice},
          {"bound", json_output::finite_or_null(finding.bound)},
          {"steady_bound", json_output::finite_or_null(finding.steady_bound)}};
}

Json rule_json(const profiling::diagnosis::Finding& finding) {
  Json evidence = Json::array();
  for (const profiling::diagnosis::Evidence& item : finding.evidence) evidence.push_back(item.text);
  return {{"rule", finding.rule},        {"severity", profiling::diagnosis::to_string(finding.severity)},
          {"title", finding.title},      {"gain", json_output::finite_or_null(finding.gain)},
          {"basis", finding.gain_basis}, {"evidence", std::move(evidence)},
          {"remedy", finding.remedy}};
}

Json roofline_json(const RooflinePoint& point) {
  return {{"flops_per_byte", json_output::finite_or_null(point.flops_per_byte)},
          {"flops_per_s", json_output::finite_or_null(point.flops_per_s)},
          {"roof_bytes_per_s", json_output::finite_or_null(point.roof_bytes_per_s)},
          {"roof_flops_per_s", json_output::finite_or_null(point.roof_flops_per_s)},
          {"share", json_output::finite_or_null(point.share)}};
}

Json counted_json(const survey::records::Survey& survey, const CountedKernel& kernel) {
  const survey::records::KernelShape& shape = survey.shapes[kernel.shape];
  Json made = {{"name", shape.name},
               {"short_name", short_kernel_name(survey.names[shape.name], kNameWidth)},
               {"grid", text_output::surveys::sizes_text(shape.grid)},
               {"block", text_output::surveys::sizes_text(shape.block)},
               {"device", kernel.device},
               {"share", kernel.share},
               {"launches", kernel.launches},
               {"graph_nodes", kernel.graph_nodes},
               {"median_ns", kernel.time_ns},
               {"counted_ns", json_output::finite_or_null(kernel.counted_ns)},
               {"metrics", text_output::surveys::metric_texts(kernel.counters)},
               {"roofs", text_output::surveys::roofline_texts(kernel.roofline, kernel.bound_at_roof)},
               {"roofline", roofline_json(kernel.roofline)},
               {"findings", Json::array()}};
  for (const profiling::diagnosis::Finding& finding : kernel.diagnosis.findings)
    made["findings"].push_back(rule_json(finding));
  return made;
}

// Those of the text, which are narrow enough for a page.
std::string tables_text(const survey::records::Survey& survey, const SurveyAnalysis& analysis) {
  using namespace text_output::surveys;
  return copies_table(analysis) + fills_table(analysis) + graphs_table(survey, analysis) +
         calls_table(survey, analysis) + ranges_table(survey, analysis);
}

Json graph_json(const survey::records::Survey& survey, const CountedGraph& graph) {
  return {{"nodes", text_output::surveys::graph_nodes_text(survey, graph)},
          {"launches", graph.launches},
          {"median_ns", json_output::finite_or_null(graph.time_ns)},
          {"metrics", text_output::surveys::metric_texts(graph.counters)},
          {"roofs", text_output::surveys::roofline_texts(graph.roofline, std::nullopt)}};
}

}  // namespace

Json analysis_for_page(const survey::records::Survey& survey, const SurveyAnalysis& analysis) {
  Json made = {{"launches", analysis.launches},
               {"short_launches", analysis.short_launches},
               {"launches_per_second", json_output::finite_or_null(analysis.launches_per_second)},
               {"idle_is_uncertain", analysis.idle_is_uncertain},
               {"start_up_ns", analysis.start_up.duration},
               {"observed_ns", analysis.observed},
               {"steady_ns", {analysis.steady.start, analysis.steady.end}},
               {"devices", Json::array()},
               {"steady_devices", Json::array()},
               {"kernels", Json::array()},
               {"counted", Json::array()},
               {"counted_graphs", Json::array()},
               {"copies", Json::array()},
               {"tables", tables_text(survey, analysis)},
               {"findings", Json::array()}};
  for (const CountedKernel& kernel : counted_kernels(survey, analysis.kernels))
    made["counted"].push_back(counted_json(survey, kernel));
  for (const CountedGraph& graph : survey::analysis::counted_graphs(survey))
    made["counted_graphs"].push_back(graph_json(survey, graph));
  for (const DeviceTime& device : analysis.devices) made["devices"].push_back(device_json(survey, device));
  for (const DeviceTime& device : analysis.steady_devices)
    made["steady_devices"].push_back(device_json(survey, device));
  for (const KernelTime& kernel : analysis.kernels) made["kernels"].push_back(kernel_json(survey, kernel));
  for (const CopyGroup& group : analysis.copies) made["copies"].push_back(copies_json(group));
  for (const Finding& finding : analysis.findings) made["findings"].push_back(finding_json(finding));
  return made;
}

}  // namespace warptune::tuner::survey_page
