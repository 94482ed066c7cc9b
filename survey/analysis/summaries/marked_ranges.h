// The NVTX ranges of a survey, and what the GPUs did meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/analysis/interval_set.h"
#include "survey/analysis/summaries/duration_summary.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis::summaries {

/// All NVTX ranges of one name, in all threads. Only work of their own process counts.
struct MarkedRanges {
  records::Index name = 0;  ///< Into `Survey::names`.
  std::int64_t count = 0;
  DurationSummary time;       ///< Ranges of several threads, or within each other, may overlap.
  std::int64_t open = 0;      ///< The observed time in which at least one of them was open, in nanoseconds.
  std::int64_t busy = 0;      ///< The part of `open` in which a kernel, a copy or a fill ran, in nanoseconds.
  std::int64_t launches = 0;  ///< Launches of kernels that were given to a GPU within them.
  std::int64_t work_duration = 0;  ///< The sum of the durations of the kernels, copies and fills that were
                                   ///< given within them, in nanoseconds. They may run after the range.
  bool operator==(const MarkedRanges&) const = default;
};

/// The name with the longest sum comes first. Takes O(n log n) for n records. `observed` is the observed time
/// (`observed_time`, device_timeline.h).
std::vector<MarkedRanges> marked_ranges(const records::Survey& survey, const IntervalSet& observed);

}  // namespace warptune::survey::analysis::summaries
