#include "survey/collecting/range_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace warptune::survey::collecting {

using records::Index;
using records::Interval;
using records::kNone;

namespace {

// The ranges of each process, without overlap, in the order of their start.
class RangeTimes {
 public:
  RangeTimes(const records::Survey& survey, const std::string& name) {
    for (const records::Range& range : survey.ranges) {  // In the order of their start.
      if (survey.names[range.name] != name) continue;
      std::vector<Interval>& times = times_[range.process];
      if (!times.empty() && range.time.start <= times.back().end) {
        times.back().end = std::max(times.back().end, range.time.end);
      } else {
        times.push_back(range.time);
      }
    }
  }

  bool empty() const { return times_.empty(); }
  bool has(Index process, std::int64_t time) const {
    const auto found = times_.find(process);
    if (found == times_.end()) return false;
    const std::vector<Interval>& times = found->second;
    const auto after =
        std::upper_bound(times.begin(), times.end(), time,
                         [](std::int64_t value, const Interval& range) { return value < range.start; });
    return after != times.begin() && time < std::prev(after)->end;
  }

 private:
  std::map<Index, std::vector<Interval>> times_;
};

std::vector<std::string> range_names(const records::Survey& survey) {
  std::set<std::string> names;
  for (const records::Range& range : survey.ranges) names.insert(survey.names[range.name]);
  return {names.begin(), names.end()};
}

class Extent {
 public:
  void add(const auto& records) {
    for (const auto& record : records) {
      extent_.start = std::min(extent_.start, record.time.start);
      extent_.end = std::max(extent_.end, record.time.end);
    }
  }
  Interval value() const { return extent_.end < extent_.start ? Interval{} : extent_; }

 private:
  Interval extent_{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
};

}  // namespace

void limit_to_ranges(records::Survey& survey, const std::string& range) {
  const RangeTimes times(survey, range);
  const std::vector<std::string> seen = range_names(survey);
  std::vector<Index> place_of(survey.calls.size(), kNone);
  std::vector<records::Call> kept;
  for (std::size_t i = 0; i < survey.calls.size(); ++i) {
    const records::Call& call = survey.calls[i];
    if (!times.has(call.process, call.time.start)) continue;
    place_of[i] = static_cast<Index>(kept.size());
    kept.push_back(call);
  }
  const auto is_outside = [&](records::Activity& activity) {
    if (activity.call == kNone)
      return !times.has(survey.streams[activity.stream].process, activity.time.start);
    activity.call = place_of[activity.call];
    return activity.call == kNone;
  };
  std::erase_if(survey.launches, is_outside);
  std::erase_if(survey.copies, is_outside);
  std::erase_if(survey.fills, is_outside);
  std::erase_if(survey.ranges, [&](const records::Range& other) {
    return survey.names[other.name] != range && !times.has(other.process, other.time.start);
  });
  survey.calls = std::move(kept);
  survey.unlisted.clear();
  Extent extent;
  extent.add(survey.launches);
  extent.add(survey.copies);
  extent.add(survey.fills);
  extent.add(survey.calls);
  for (const records::Range& other : survey.ranges) {
    if (survey.names[other.name] == range) extent.add(std::array{other});
  }
  survey.run.window = extent.value();
  if (!times.empty()) return;
  survey.run.problem = fmt::format("The program had no NVTX range with the name {}{}.", range,
                                   base::did_you_mean(range, seen));
}

}  // namespace warptune::survey::collecting
