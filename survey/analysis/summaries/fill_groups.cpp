#include "survey/analysis/summaries/fill_groups.h"

#include <algorithm>
#include <map>

#include "survey/analysis/device_timeline.h"

namespace warptune::survey::analysis::summaries {

std::vector<FillGroup> fill_groups(const records::Survey& survey) {
  std::map<records::MemoryKind, FillGroup> all;
  const WorkOfRun of_run(survey);
  for (const records::Fill& fill : survey.fills) {
    if (!of_run.has(fill)) continue;
    FillGroup& group = all[fill.destination];
    ++group.count;
    group.bytes += fill.bytes;
    group.duration += fill.time.duration();
  }
  std::vector<FillGroup> groups;
  groups.reserve(all.size());
  for (auto& [destination, group] : all) {
    group.destination = destination;
    if (group.duration > 0)
      group.bytes_per_s = 1e9 * static_cast<double>(group.bytes) / static_cast<double>(group.duration);
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FillGroup& a, const FillGroup& b) { return a.duration > b.duration; });
  return groups;
}

}  // namespace warptune::survey::analysis::summaries
