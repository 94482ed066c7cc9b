#include "survey/analysis/summaries/call_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "survey/records/range_times.h"

namespace warptune::survey::analysis::summaries {

std::vector<CallGroup> call_groups(const records::Survey& survey) {
  std::map<std::pair<records::CallKind, records::Index>, std::vector<std::int64_t>> all;
  const records::RangeTimes ranges(survey, survey.run.range);
  for (const records::Call& call : survey.calls) {
    if (ranges.empty() || ranges.has(call.process, call.time.start))
      all[{call.kind, call.name}].push_back(call.time.duration());
  }
  std::vector<CallGroup> groups;
  groups.reserve(all.size());
  for (auto& [key, durations] : all) {
    const auto count = static_cast<std::int64_t>(durations.size());
    groups.push_back({key.second, key.first, count, duration_summary(std::move(durations))});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CallGroup& a, const CallGroup& b) { return a.time.total > b.time.total; });
  return groups;
}

}  // namespace warptune::survey::analysis::summaries
