#include "survey/collecting/range_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "survey/records/range_times.h"

namespace warptune::survey::collecting {

using records::Index;
using records::Interval;
using records::kNone;
using records::RangeTimes;

namespace {

std::vector<std::string> range_names(const records::Survey& survey) {
  std::set<std::string> names;
  for (const records::Range& range : survey.ranges) names.insert(survey.names[range.name]);
  return {names.begin(), names.end()};
}

class Extent {
 public:
  void add(const Interval& time) {
    extent_.start = std::min(extent_.start, time.start);
    extent_.end = std::max(extent_.end, time.end);
  }
  Interval value() const { return extent_.end < extent_.start ? Interval{} : extent_; }

 private:
  Interval extent_{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
};

// Removes work that was neither given to the GPU within a range nor ran within one. Marks the calls of the
// rest, and adds the times of the work that was given within a range.
template <class Record>
void limit_work(std::vector<Record>& work, const records::Survey& survey, const RangeTimes& times,
                std::vector<bool>& used_calls, Extent& extent) {
  std::erase_if(work, [&](const records::Activity& activity) {
    const bool was_given = times.has_work(survey, activity);
    if (!was_given && !times.meets(activity.time)) return true;
    if (was_given) extent.add(activity.time);
    if (activity.call != kNone) used_calls[activity.call] = true;
    return false;
  });
}

// Removes the calls outside of all ranges that gave no work which is left.
void limit_calls(records::Survey& survey, const RangeTimes& times, const std::vector<bool>& used) {
  std::vector<Index> place_of(survey.calls.size(), kNone);
  std::vector<records::Call> kept;
  for (std::size_t i = 0; i < survey.calls.size(); ++i) {
    const records::Call& call = survey.calls[i];
    if (!used[i] && !times.meets(call.process, call.time)) continue;
    place_of[i] = static_cast<Index>(kept.size());
    kept.push_back(call);
  }
  const auto renumber = [&](records::Activity& activity) {
    if (activity.call != kNone) activity.call = place_of[activity.call];
  };
  std::for_each(survey.launches.begin(), survey.launches.end(), renumber);
  std::for_each(survey.copies.begin(), survey.copies.end(), renumber);
  std::for_each(survey.fills.begin(), survey.fills.end(), renumber);
  survey.calls = std::move(kept);
}

}  // namespace

void limit_to_ranges(records::Survey& survey, const std::string& range) {
  const RangeTimes times(survey, range);
  const std::vector<std::string> seen = range_names(survey);
  Extent extent;
  std::vector<bool> used(survey.calls.size(), false);
  limit_work(survey.launches, survey, times, used, extent);
  limit_work(survey.copies, survey, times, used, extent);
  limit_work(survey.fills, survey, times, used, extent);
  for (const records::Call& call : survey.calls) {
    if (times.has(call.process, call.time.start)) extent.add(call.time);
  }
  limit_calls(survey, times, used);
  std::erase_if(survey.ranges, [&](const records::Range& other) {
    return survey.names[other.name] != range && !times.has(other.process, other.time.start);
  });
  for (const records::Range& other : survey.ranges) {
    if (survey.names[other.name] == range) extent.add(other.time);
  }
  survey.unlisted.clear();
  survey.run.window = extent.value();
  if (!times.empty()) return;
  survey.run.problem = fmt::format("The program had no NVTX range with the name {}{}.", range,
                                   base::did_you_mean(range, seen));
}

}  // namespace warptune::survey::collecting
