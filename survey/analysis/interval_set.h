// Sets of points in time, as sorted intervals.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// A set of points in time. It is stored as intervals in ascending order that neither overlap nor touch. All
/// operations on two sets take time in proportion to the number of their intervals.
class IntervalSet {
 public:
  IntervalSet() = default;
  /// The union of intervals in any order, in O(n log n). Empty ones are left out.
  explicit IntervalSet(std::vector<records::Interval> intervals);

  const std::vector<records::Interval>& parts() const { return parts_; }
  bool empty() const { return parts_.empty(); }
  /// The sum of the durations, in nanoseconds.
  std::int64_t total() const;

  /// The points in either of the sets.
  IntervalSet united(const IntervalSet& other) const;
  /// The points in both sets.
  IntervalSet common(const IntervalSet& other) const;
  /// The points of this set that are not in the other one.
  IntervalSet without(const IntervalSet& other) const;

 private:
  std::vector<records::Interval> parts_;
};

}  // namespace warptune::survey::analysis
