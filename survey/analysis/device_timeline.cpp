// The time during which one activity ran alone comes from a sweep over all starts and ends. The sweep keeps
// the number of running activities and the sum of their indices. While one runs, the sum is its index. Only
// observed time passes in it.
#include "survey/analysis/device_timeline.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace warptune::survey::analysis {

using records::Activity;
using records::Index;
using records::Interval;
using records::Survey;

namespace {

// How much observed time has passed at a moment. Moments must not be before earlier ones.
class ObservedClock {
 public:
  explicit ObservedClock(const IntervalSet& observed) : parts_(observed.parts()) {}

  std::int64_t at(std::int64_t moment) {
    for (; part_ < parts_.size() && parts_[part_].end <= moment; ++part_) passed_ += parts_[part_].duration();
    const bool is_within = part_ < parts_.size() && parts_[part_].start < moment;
    return passed_ + (is_within ? moment - parts_[part_].start : 0);
  }

 private:
  const std::vector<Interval>& parts_;
  std::size_t part_ = 0;
  std::int64_t passed_ = 0;
};

struct Border {
  std::int64_t time = 0;
  std::uint32_t work = 0;
  bool begins = false;
};

// How much of each activity is observed, how long it ran alone, and how long several ran at once.
void measure_overlap(DeviceTimeline& timeline, const IntervalSet& observed) {
  ObservedClock clock(observed);
  std::vector<Border> borders;
  borders.reserve(2 * timeline.work.size());
  for (std::size_t i = 0; i < timeline.work.size(); ++i) {
    borders.push_back({timeline.work[i].time.start, static_cast<std::uint32_t>(i), true});
    borders.push_back({timeline.work[i].time.end, static_cast<std::uint32_t>(i), false});
  }
  std::sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) {
    return a.time != b.time ? a.time < b.time : a.begins < b.begins;
  });
  std::int64_t before = 0;
  std::int64_t running = 0;
  std::uint64_t sum = 0;
  for (const Border& border : borders) {
    const std::int64_t now = clock.at(border.time);
    if (running == 1) timeline.work[sum].alone += now - before;
    if (running > 1) timeline.overlapped += now - before;
    timeline.work[border.work].observed += border.begins ? -now : now;
    running += border.begins ? 1 : -1;
    sum += border.begins ? border.work : -static_cast<std::uint64_t>(border.work);
    before = now;
  }
}

// Appends the activities of which a part was observed. What is before the first and after the last observed
// moment of an activity is cut off.
template <class Record>
void add_work(const Survey& survey, const std::vector<Record>& activities, WorkKind kind,
              const IntervalSet& observed, std::vector<DeviceTimeline>& timelines) {
  const std::vector<Interval>& parts = observed.parts();
  std::size_t part = 0;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const Activity& activity = activities[i];
    while (part < parts.size() && parts[part].end <= activity.time.start) ++part;
    if (part == parts.size()) break;
    const auto after =
        std::lower_bound(parts.begin() + static_cast<std::ptrdiff_t>(part), parts.end(), activity.time.end,
                         [](const Interval& interval, std::int64_t end) { return interval.start < end; });
    if (after == parts.begin() + static_cast<std::ptrdiff_t>(part)) continue;
    const Interval time{std::max(activity.time.start, parts[part].start),
                        std::min(activity.time.end, std::prev(after)->end)};
    if (time.end <= time.start) continue;
    DeviceTimeline& timeline = timelines[survey.streams[activity.stream].device];
    timeline.work.push_back({time, activity.stream, activity.call, kind, static_cast<Index>(i), 0, 0});
  }
}

IntervalSet times_of(const DeviceTimeline& timeline, bool kernels, const IntervalSet& observed) {
  std::vector<Interval> times;
  for (const Work& work : timeline.work) {
    if ((work.kind == WorkKind::kKernel) == kernels) times.push_back(work.time);
  }
  return IntervalSet(std::move(times)).common(observed);
}

// When the last listed work of each process ended.
std::vector<std::optional<std::int64_t>> ends_of_work(const Survey& survey) {
  std::vector<std::optional<std::int64_t>> ends(survey.processes.size());
  const auto see = [&](const auto& activities) {
    for (const Activity& activity : activities) {
      std::optional<std::int64_t>& end = ends[survey.streams[activity.stream].process];
      end = std::max(end.value_or(activity.time.end), activity.time.end);
    }
  };
  see(survey.launches);
  see(survey.copies);
  see(survey.fills);
  return ends;
}

bool gives_work(records::CallKind kind) {
  return kind == records::CallKind::kLaunch || kind == records::CallKind::kGraphLaunch ||
         kind == records::CallKind::kCopy || kind == records::CallKind::kFill;
}

}  // namespace

IntervalSet observed_time(const Survey& survey) {
  Interval window = survey.run.window;
  const std::vector<std::optional<std::int64_t>> ends = ends_of_work(survey);
  for (std::size_t i = 0; i < survey.processes.size(); ++i) {
    const records::Process& process = survey.processes[i];
    if (process.left_out > 0)
      window.end = std::min(window.end, ends[i].value_or(window.start));
    else if (!process.problem.empty() && ends[i])
      window.end = std::min(window.end, *ends[i]);
  }
  IntervalSet all({window});
  if (survey.run.range.empty()) return all;
  std::vector<Interval> ranges;
  for (const records::Range& range : survey.ranges) {
    if (survey.names[range.name] == survey.run.range) ranges.push_back(range.time);
  }
  return ranges.empty() ? all : all.common(IntervalSet(std::move(ranges)));
}

bool idle_is_uncertain(const Survey& survey) {
  const std::vector<std::optional<std::int64_t>> ends = ends_of_work(survey);
  std::vector<bool> has_calls(survey.processes.size(), false);
  std::vector<bool> gave_work(survey.processes.size(), false);
  for (const records::Call& call : survey.calls) {
    has_calls[call.process] = true;
    if (gives_work(call.kind)) gave_work[call.process] = true;
  }
  for (std::size_t i = 0; i < survey.processes.size(); ++i) {
    const records::Process& process = survey.processes[i];
    if (process.dropped > 0 || process.unnamed > 0) return true;
    if (!process.problem.empty() && !ends[i] && (gave_work[i] || !has_calls[i])) return true;
  }
  return false;
}

std::vector<DeviceTimeline> device_timelines(const Survey& survey, const IntervalSet& observed) {
  std::vector<DeviceTimeline> timelines(survey.devices.size());
  add_work(survey, survey.launches, WorkKind::kKernel, observed, timelines);
  add_work(survey, survey.copies, WorkKind::kCopy, observed, timelines);
  add_work(survey, survey.fills, WorkKind::kFill, observed, timelines);
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    DeviceTimeline& timeline = timelines[i];
    timeline.device = static_cast<Index>(i);
    std::stable_sort(timeline.work.begin(), timeline.work.end(),
                     [](const Work& a, const Work& b) { return a.time.start < b.time.start; });
    timeline.kernels = times_of(timeline, true, observed);
    timeline.transfers = times_of(timeline, false, observed);
    timeline.idle = observed.without(timeline.kernels).without(timeline.transfers);
    measure_overlap(timeline, observed);
  }
  return timelines;
}

}  // namespace warptune::survey::analysis
