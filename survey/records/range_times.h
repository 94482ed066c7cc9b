// When the NVTX ranges of one name were open.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// The times of a survey's NVTX ranges of one name, by process.
class RangeTimes {
 public:
  /// `survey.ranges` must be in the order of their start. An empty name has no ranges.
  RangeTimes(const Survey& survey, const std::string& name);

  bool empty() const { return times_.empty(); }
  /// Whether a moment is within a range of a process.
  bool has(Index process, std::int64_t time) const;
  /// Whether a part of an interval is within a range of a process.
  bool meets(Index process, const Interval& time) const;
  /// Whether a part of an interval is within a range of any process.
  bool meets(const Interval& time) const;
  /// Whether the program gave this work to the GPU within a range. The start of the call that gave it counts,
  /// in the call's process. If the call is unknown, the start of the work counts.
  bool has_work(const Survey& survey, const Activity& activity) const;

 private:
  std::map<Index, std::vector<Interval>> times_;  // In ascending order, without overlap.
};

}  // namespace warptune::survey::records
