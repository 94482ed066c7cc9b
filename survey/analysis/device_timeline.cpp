// The time during which one activity ran alone comes from a sweep over all starts and ends. The sweep keeps
// the number of running activities and the sum of their indices. While one runs, the sum is its index.
#include "survey/analysis/device_timeline.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace warptune::survey::analysis {

using records::Activity;
using records::Index;
using records::Interval;
using records::Survey;

namespace {

struct Border {
  std::int64_t time = 0;
  std::uint32_t work = 0;
  bool begins = false;
};

void measure_overlap(DeviceTimeline& timeline) {
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
    const std::int64_t elapsed = border.time - before;
    if (running == 1) timeline.work[sum].alone += elapsed;
    if (running > 1) timeline.overlapped += elapsed;
    running += border.begins ? 1 : -1;
    sum += border.begins ? border.work : -static_cast<std::uint64_t>(border.work);
    before = border.time;
  }
}

// Appends the part of an activity that was observed. An interval of the observed time that ends within the
// activity cuts it off: the rest is not counted.
template <class Record>
void add_work(const Survey& survey, const std::vector<Record>& activities, WorkKind kind,
              const IntervalSet& observed, std::vector<DeviceTimeline>& timelines) {
  const std::vector<Interval>& parts = observed.parts();
  std::size_t part = 0;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const Activity& activity = activities[i];
    while (part < parts.size() && parts[part].end <= activity.time.start) ++part;
    if (part == parts.size()) break;
    const Interval time{std::max(activity.time.start, parts[part].start),
                        std::min(activity.time.end, parts[part].end)};
    if (time.end <= time.start) continue;
    DeviceTimeline& timeline = timelines[survey.streams[activity.stream].device];
    timeline.work.push_back({time, activity.stream, activity.call, kind, static_cast<Index>(i), 0});
  }
}

IntervalSet times_of(const DeviceTimeline& timeline, bool kernels) {
  std::vector<Interval> times;
  for (const Work& work : timeline.work) {
    if ((work.kind == WorkKind::kKernel) == kernels) times.push_back(work.time);
  }
  return IntervalSet(std::move(times));
}

// When a process that reached its limit ended its last listed work, for the first such process.
std::int64_t end_of_listed(const Survey& survey) {
  std::vector<std::int64_t> last(survey.processes.size(), 0);
  const auto see = [&](const auto& activities) {
    for (const Activity& activity : activities) {
      std::int64_t& end = last[survey.streams[activity.stream].process];
      end = std::max(end, activity.time.end);
    }
  };
  see(survey.launches);
  see(survey.copies);
  see(survey.fills);
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < survey.processes.size(); ++i) {
    if (survey.processes[i].left_out > 0 && last[i] > 0) end = std::min(end, last[i]);
  }
  return end;
}

}  // namespace

IntervalSet observed_time(const Survey& survey) {
  Interval window = survey.run.window;
  window.end = std::min(window.end, end_of_listed(survey));
  const IntervalSet all({window});
  if (survey.run.range.empty()) return all;
  std::vector<Interval> ranges;
  for (const records::Range& range : survey.ranges) {
    if (survey.names[range.name] == survey.run.range) ranges.push_back(range.time);
  }
  return ranges.empty() ? all : all.common(IntervalSet(std::move(ranges)));
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
    timeline.kernels = times_of(timeline, true);
    timeline.transfers = times_of(timeline, false);
    timeline.idle = observed.without(timeline.kernels).without(timeline.transfers);
    measure_overlap(timeline);
  }
  return timelines;
}

}  // namespace warptune::survey::analysis
