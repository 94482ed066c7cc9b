#include "survey/analysis/summaries/graph_launches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "survey/analysis/device_timeline.h"

namespace warptune::survey::analysis::summaries {

using records::Index;

namespace {

struct WorkOfGraph {
  GraphLaunches sums;
  std::vector<Index> calls;  // Those of all of its work: a launch of the graph occurs once for each node.
};

}  // namespace

std::vector<GraphLaunches> graph_launches(const records::Survey& survey) {
  std::map<std::pair<Index, std::uint32_t>, WorkOfGraph> all;
  const WorkOfRun of_run(survey);
  const auto add = [&](const auto& activities, std::int64_t GraphLaunches::*count) {
    for (const records::Activity& activity : activities) {
      if (activity.graph == 0 || !of_run.has(activity)) continue;
      WorkOfGraph& work = all[{survey.streams[activity.stream].process, activity.graph}];
      ++(work.sums.*count);
      work.sums.duration += activity.time.duration();
      if (activity.call != records::kNone) work.calls.push_back(activity.call);
    }
  };
  add(survey.launches, &GraphLaunches::kernels);
  add(survey.copies, &GraphLaunches::copies);
  add(survey.fills, &GraphLaunches::fills);
  std::vector<GraphLaunches> graphs;
  graphs.reserve(all.size());
  for (auto& [key, work] : all) {
    std::tie(work.sums.process, work.sums.graph) = key;
    std::sort(work.calls.begin(), work.calls.end());
    work.sums.launches = std::unique(work.calls.begin(), work.calls.end()) - work.calls.begin();
    graphs.push_back(work.sums);
  }
  std::stable_sort(graphs.begin(), graphs.end(),
                   [](const GraphLaunches& a, const GraphLaunches& b) { return a.duration > b.duration; });
  return graphs;
}

}  // namespace warptune::survey::analysis::summaries
