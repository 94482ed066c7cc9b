#include "survey/records/range_times.h"

#include <algorithm>

namespace warptune::survey::records {

namespace {

// The first interval that ends after a moment.
std::vector<Interval>::const_iterator first_after(const std::vector<Interval>& times, std::int64_t moment) {
  return std::upper_bound(times.begin(), times.end(), moment,
                          [](std::int64_t value, const Interval& range) { return value < range.end; });
}

bool meets_one(const std::vector<Interval>& times, const Interval& time) {
  const auto found = first_after(times, time.start);
  return found != times.end() && (found->start < time.end || found->start == time.start);
}

}  // namespace

RangeTimes::RangeTimes(const Survey& survey, const std::string& name) {
  if (name.empty()) return;
  for (const Range& range : survey.ranges) {
    if (survey.names[range.name] != name) continue;
    std::vector<Interval>& times = times_[range.process];
    if (!times.empty() && range.time.start <= times.back().end) {
      times.back().end = std::max(times.back().end, range.time.end);
    } else {
      times.push_back(range.time);
    }
  }
}

bool RangeTimes::has(Index process, std::int64_t time) const { return meets(process, {time, time}); }

bool RangeTimes::meets(Index process, const Interval& time) const {
  const auto found = times_.find(process);
  return found != times_.end() && meets_one(found->second, time);
}

bool RangeTimes::meets(const Interval& time) const {
  return std::any_of(times_.begin(), times_.end(),
                     [&](const auto& process) { return meets_one(process.second, time); });
}

bool RangeTimes::has_work(const Survey& survey, const Activity& activity) const {
  if (activity.call == kNone) return has(survey.streams[activity.stream].process, activity.time.start);
  const Call& call = survey.calls[activity.call];
  return has(call.process, call.time.start);
}

}  // namespace warptune::survey::records
