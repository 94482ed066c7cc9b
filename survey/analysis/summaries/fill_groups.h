// The fills of a survey by the kind of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::analysis::summaries {

/// All fills (`cudaMemset` and similar calls) of one kind of memory.
struct FillGroup {
  records::MemoryKind destination = records::MemoryKind::kUnknown;
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t duration = 0;          ///< The sum, in nanoseconds.
  std::optional<double> bytes_per_s;  ///< Absent if the duration is 0.
  bool operator==(const FillGroup&) const = default;
};

/// The group with the longest sum comes first. With a range, only fills that were given to the GPU within it
/// count.
std::vector<FillGroup> fill_groups(const records::Survey& survey);

}  // namespace warptune::survey::analysis::summaries
