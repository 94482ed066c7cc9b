#include "survey/analysis/counted_graphs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "profiling/counters/planned_counting.h"
#include "survey/analysis/summaries/duration_summary.h"

namespace warptune::survey::analysis {

using records::Index;
using records::Survey;

namespace {

// One launch of a graph in the survey.
struct GraphRun {
  records::Interval time{std::numeric_limits<std::int64_t>::max(), 0};
  std::map<Index, std::int64_t> shapes;  // The number of launches of each.
  std::int64_t kernels = 0;
};

std::vector<GraphRun> graph_runs(const Survey& survey) {
  std::map<Index, GraphRun> runs;
  const auto add = [&](const records::Activity& activity) -> GraphRun* {
    if (activity.graph == 0 || activity.call == records::kNone) return nullptr;
    GraphRun& run = runs[activity.call];
    run.time.start = std::min(run.time.start, activity.time.start);
    run.time.end = std::max(run.time.end, activity.time.end);
    return &run;
  };
  for (const records::Launch& launch : survey.launches) {
    if (GraphRun* const run = add(launch); run != nullptr) ++run->shapes[launch.shape], ++run->kernels;
  }
  for (const records::Copy& copy : survey.copies) add(copy);
  for (const records::Fill& fill : survey.fills) add(fill);
  std::vector<GraphRun> result;
  result.reserve(runs.size());
  for (auto& [call, run] : runs) result.push_back(std::move(run));
  return result;
}

bool is_launch_of(const GraphRun& run, const records::CountedGraph& graph) {
  return run.kernels == graph.kernel_nodes &&
         std::all_of(graph.parts.begin(), graph.parts.end(), [&](const records::GraphPart& part) {
           const auto found = run.shapes.find(part.shape);
           return found != run.shapes.end() && found->second == part.nodes;
         });
}

std::optional<double> median_time(const std::vector<GraphRun>& runs, const records::CountedGraph& graph) {
  std::vector<std::int64_t> times;
  for (const GraphRun& run : runs) {
    if (is_launch_of(run, graph)) times.push_back(run.time.duration());
  }
  if (times.empty()) return std::nullopt;
  return static_cast<double>(summaries::duration_summary(std::move(times)).median);
}

}  // namespace

std::vector<CountedGraph> counted_graphs(const Survey& survey) {
  std::vector<CountedGraph> result;
  const std::vector<GraphRun> runs =
      survey.counted_graphs.empty() ? std::vector<GraphRun>{} : graph_runs(survey);
  for (const records::CountedGraph& graph : survey.counted_graphs) {
    if (graph.launches.empty() || has_one_shape(graph)) continue;
    CountedGraph& counted = result.emplace_back();
    counted.device = graph.device;
    counted.kernel_nodes = graph.kernel_nodes;
    counted.other_nodes = graph.other_nodes;
    counted.parts = graph.parts;
    counted.launches = std::ssize(graph.launches);
    counted.time_ns = median_time(runs, graph);
    std::vector<model::Counters> launches = graph.launches;
    for (model::Counters& launch : launches) profiling::counters::complete_counters(launch, counted.time_ns);
    counted.counters = medians(launches);
    counted.roofline =
        roofline_point(counted.counters, counted.time_ns.value_or(0.0), survey.devices[graph.device].gpu);
  }
  return result;
}

}  // namespace warptune::survey::analysis
