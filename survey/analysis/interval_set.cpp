#include "survey/analysis/interval_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warptune::survey::analysis {

using records::Interval;

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return interval.end <= interval.start; });
  const auto by_start = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_start))
    std::sort(intervals.begin(), intervals.end(), by_start);
  for (const Interval& interval : intervals) {
    if (!parts_.empty() && interval.start <= parts_.back().end)
      parts_.back().end = std::max(parts_.back().end, interval.end);
    else
      parts_.push_back(interval);
  }
}

std::int64_t IntervalSet::total() const {
  std::int64_t sum = 0;
  for (const Interval& part : parts_) sum += part.duration();
  return sum;
}

IntervalSet IntervalSet::united(const IntervalSet& other) const {
  std::vector<Interval> all(parts_.size() + other.parts_.size());
  std::merge(parts_.begin(), parts_.end(), other.parts_.begin(), other.parts_.end(), all.begin(),
             [](const Interval& a, const Interval& b) { return a.start < b.start; });
  return IntervalSet(std::move(all));
}

IntervalSet IntervalSet::common(const IntervalSet& other) const {
  IntervalSet result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < parts_.size() && j < other.parts_.size()) {
    const Interval& a = parts_[i];
    const Interval& b = other.parts_[j];
    const Interval both{std::max(a.start, b.start), std::min(a.end, b.end)};
    if (both.start < both.end) result.parts_.push_back(both);
    (a.end < b.end ? i : j) += 1;
  }
  return result;
}

IntervalSet IntervalSet::without(const IntervalSet& other) const {
  IntervalSet result;
  std::size_t j = 0;
  for (Interval part : parts_) {
    while (j < other.parts_.size() && other.parts_[j].end <= part.start) ++j;
    for (std::size_t k = j; k < other.parts_.size() && other.parts_[k].start < part.end; ++k) {
      const Interval& hole = other.parts_[k];
      if (part.start < hole.start) result.parts_.push_back({part.start, hole.start});
      part.start = std::max(part.start, hole.end);
      j = k;  // The next part may begin within the same hole.
    }
    if (part.start < part.end) result.parts_.push_back(part);
  }
  return result;
}

}  // namespace warptune::survey::analysis
