#include "survey/analysis/summaries/duration_summary.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace warptune::survey::analysis::summaries {

DurationSummary duration_summary(std::vector<std::int64_t> durations) {
  if (durations.empty()) return {};
  DurationSummary summary;
  summary.total = std::accumulate(durations.begin(), durations.end(), std::int64_t{0});
  summary.maximum = *std::max_element(durations.begin(), durations.end());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  summary.median = *middle;
  return summary;
}

}  // namespace warptune::survey::analysis::summaries
