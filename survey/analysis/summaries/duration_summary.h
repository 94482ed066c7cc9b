// The sum, the median and the maximum of durations.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune::survey::analysis::summaries {

/// All are in nanoseconds. They are 0 if there are no durations.
struct DurationSummary {
  std::int64_t total = 0;
  std::int64_t median = 0;  ///< The lower one of the two in the middle, if their number is even.
  std::int64_t maximum = 0;
  bool operator==(const DurationSummary&) const = default;
};

/// Takes O(n) for n durations.
DurationSummary duration_summary(std::vector<std::int64_t> durations);

}  // namespace warptune::survey::analysis::summaries
