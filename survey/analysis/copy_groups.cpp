#include "survey/analysis/copy_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "survey/analysis/device_timeline.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis {

std::vector<CopyGroup> copy_groups(const records::Survey& survey, std::optional<double> link) {
  std::map<std::tuple<records::CopyDirection, records::MemoryKind, records::MemoryKind, bool>, CopyGroup> all;
  const WorkOfRun of_run(survey);
  for (const records::Copy& copy : survey.copies) {
    if (!of_run.has(copy)) continue;
    CopyGroup& group = all[{copy.direction, copy.source, copy.destination, copy.asynchronous}];
    ++group.count;
    group.bytes += copy.bytes;
    group.duration += copy.time.duration();
  }
  std::vector<CopyGroup> groups;
  groups.reserve(all.size());
  for (auto& [kind, group] : all) {
    std::tie(group.direction, group.source, group.destination, group.asynchronous) = kind;
    if (group.duration > 0)
      group.bytes_per_s = 1e9 * static_cast<double>(group.bytes) / static_cast<double>(group.duration);
    if (link && group.bytes_per_s && uses_host_link(group.direction))
      group.host_link_share = *group.bytes_per_s / *link;
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CopyGroup& a, const CopyGroup& b) { return a.duration > b.duration; });
  return groups;
}

}  // namespace warptune::survey::analysis
