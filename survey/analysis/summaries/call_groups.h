// The calls of CUDA of a survey by their name.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/analysis/summaries/duration_summary.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis::summaries {

/// All calls of one function, in all threads.
struct CallGroup {
  records::Index name = 0;  ///< Into `Survey::names`.
  records::CallKind kind = records::CallKind::kOther;
  std::int64_t count = 0;
  DurationSummary time;  ///< Time of the threads that called it. Calls of several threads may overlap.
  bool operator==(const CallGroup&) const = default;
};

/// The group with the longest sum comes first. With a range, only calls that began within it count.
std::vector<CallGroup> call_groups(const records::Survey& survey);

}  // namespace warptune::survey::analysis::summaries
