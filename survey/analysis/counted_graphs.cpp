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
  std::optional<Index> device;
  std::map<Index, std::int64_t> shapes;  // The number of launches of each.
  std::int64_t kernels = 0;
  std::int64_t others = 0;  // Copies and fills.
};

std::vector<GraphRun> graph_runs(const Survey& survey) {
  std::map<Index, GraphRun> runs;
  const auto run_of = [&](const records::Activity& activity) -> GraphRun* {
    if (activity.graph == 0 || activity.call == records::kNone) return nullptr;
    GraphRun& run = runs[activity.call];
    run.time.start = std::min(run.time.start, activity.time.start);
    run.time.end = std::max(run.time.end, activity.time.end);
    run.device = survey.streams[activity.stream].device;
    return &run;
  };
  for (const records::Launch& launch : survey.launches) {
    if (GraphRun* const run = run_of(launch); run != nullptr) ++run->shapes[launch.shape], ++run->kernels;
  }
  const auto add_others = [&](const auto& activities) {
    for (const records::Activity& activity : activities) {
      if (GraphRun* const run = run_of(activity); run != nullptr) ++run->others;
    }
  };
  add_others(survey.copies);
  add_others(survey.fills);
  std::vector<GraphRun> result;
  result.reserve(runs.size());
  for (auto& [call, run] : runs) result.push_back(std::move(run));
  return result;
}

bool is_same_launch(const records::KernelShape& one, const records::KernelShape& other) {
  return one.name == other.name && one.grid == other.grid && one.block == other.block;
}

// Shapes that differ only in their shared memory or cluster are counted as one.
bool is_launch_of(const Survey& survey, const GraphRun& run, const records::CountedGraph& graph) {
  if (run.kernels != graph.kernel_nodes || run.others > graph.other_nodes || run.device != graph.device)
    return false;
  return std::all_of(graph.parts.begin(), graph.parts.end(), [&](const records::GraphPart& part) {
    std::int64_t nodes = 0;
    for (const auto& [shape, count] : run.shapes) {
      if (is_same_launch(survey.shapes[shape], survey.shapes[part.shape])) nodes += count;
    }
    return nodes == part.nodes;
  });
}

// There is no time if the launches with these nodes are those of several graphs: their other kernels differ.
std::optional<double> median_time(const Survey& survey, const std::vector<GraphRun>& runs,
                                  const records::CountedGraph& graph) {
  std::vector<std::int64_t> times;
  const GraphRun* first = nullptr;
  for (const GraphRun& run : runs) {
    if (!is_launch_of(survey, run, graph)) continue;
    if (first == nullptr) first = &run;
    if (run.shapes != first->shapes || run.others != first->others) return std::nullopt;
    times.push_back(run.time.duration());
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
    counted.time_ns = median_time(survey, runs, graph);
    std::vector<model::Counters> launches = graph.launches;
    for (model::Counters& launch : launches) profiling::counters::complete_counters(launch, counted.time_ns);
    counted.counters = medians(launches);
    counted.roofline =
        roofline_point(counted.counters, counted.time_ns.value_or(0.0), survey.devices[graph.device].gpu);
  }
  return result;
}

}  // namespace warptune::survey::analysis
