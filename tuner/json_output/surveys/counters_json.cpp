#include "tuner/json_output/surveys/counters_json.h"

#include <utility>

#include "survey/analysis/counted_graphs.h"
#include "survey/analysis/counted_kernels.h"
#include "tuner/json_output/diagnosis_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output::surveys {

using nlohmann::ordered_json;
using survey::records::Survey;

namespace {

ordered_json roofline_json(const survey::analysis::RooflinePoint& point) {
  return {{"bytes_per_s", finite_or_null(point.bytes_per_s)},
          {"flops_per_s", finite_or_null(point.flops_per_s)},
          {"flops_per_byte", finite_or_null(point.flops_per_byte)},
          {"roof_bytes_per_s", finite_or_null(point.roof_bytes_per_s)},
          {"roof_flops_per_s", finite_or_null(point.roof_flops_per_s)},
          {"roof_share", finite_or_null(point.share)}};
}

ordered_json counted_json(const Survey& survey, const survey::analysis::CountedKernel& kernel) {
  return {{"kernel", survey.names[survey.shapes[kernel.shape].name]},
          {"device", kernel.device},
          {"shape", shape_json(survey.shapes[kernel.shape])},
          {"launch_count", kernel.launches},
          {"graph_node_count", kernel.graph_nodes},
          {"duration_share", kernel.share},
          {"median_ns", kernel.time_ns},
          {"counted_median_ns", finite_or_null(kernel.counted_ns)},
          {"counters", counters_json(kernel.counters)},
          {"roofline", roofline_json(kernel.roofline)},
          {"bound_at_roof_ratio", finite_or_null(kernel.bound_at_roof)},
          {"diagnosis", diagnosis_json(kernel.diagnosis)}};
}

ordered_json counted_graph_json(const Survey& survey, const survey::analysis::CountedGraph& graph) {
  ordered_json nodes = ordered_json::array();
  for (const survey::records::GraphPart& part : graph.parts)
    nodes.push_back({{"kernel", survey.names[survey.shapes[part.shape].name]},
                     {"shape", shape_json(survey.shapes[part.shape])},
                     {"node_count", part.nodes}});
  return {{"device", graph.device},
          {"kernel_node_count", graph.kernel_nodes},
          {"other_node_count", graph.other_nodes},
          {"nodes", std::move(nodes)},
          {"launch_count", graph.launches},
          {"median_ns", finite_or_null(graph.time_ns)},
          {"counters", counters_json(graph.counters)},
          {"roofline", roofline_json(graph.roofline)}};
}

}  // namespace

ordered_json shape_json(const survey::records::KernelShape& shape) {
  return {{"grid", shape.grid},
          {"block", shape.block},
          {"registers_per_thread", shape.registers},
          {"static_shared_bytes", shape.static_shared},
          {"dynamic_shared_bytes", shape.dynamic_shared},
          {"local_bytes", shape.local_bytes}};
}

ordered_json counted_kernels_json(const Survey& survey, const survey::analysis::SurveyAnalysis& analysis) {
  ordered_json list = ordered_json::array();
  for (const survey::analysis::CountedKernel& kernel :
       survey::analysis::counted_kernels(survey, analysis.kernels))
    list.push_back(counted_json(survey, kernel));
  return list;
}

ordered_json counted_graphs_json(const Survey& survey) {
  ordered_json list = ordered_json::array();
  for (const survey::analysis::CountedGraph& graph : survey::analysis::counted_graphs(survey))
    list.push_back(counted_graph_json(survey, graph));
  return list;
}

}  // namespace warptune::tuner::json_output::surveys
