#include "survey/analysis/summaries/marked_ranges.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace warptune::survey::analysis::summaries {

using records::Activity;
using records::Index;
using records::Interval;
using records::Survey;

namespace {

// How much of an interval is in a set. A question takes O(log n) for n parts of the set.
class TimeWithin {
 public:
  TimeWithin() = default;
  explicit TimeWithin(const IntervalSet& set) : parts_(set.parts()) {
    before_.reserve(parts_.size());
    std::int64_t sum = 0;
    for (const Interval& part : parts_) {
      before_.push_back(sum);
      sum += part.duration();
    }
  }

  std::int64_t of(const Interval& time) const { return until(time.end) - until(time.start); }

 private:
  std::int64_t until(std::int64_t moment) const {
    const auto next =
        std::lower_bound(parts_.begin(), parts_.end(), moment,
                         [](const Interval& part, std::int64_t value) { return part.start < value; });
    if (next == parts_.begin()) return 0;
    const auto last = static_cast<std::size_t>(next - parts_.begin()) - 1;
    return before_[last] + std::min(moment, parts_[last].end) - parts_[last].start;
  }

  std::vector<Interval> parts_;
  std::vector<std::int64_t> before_;  // For each part, the sum of those before it.
};

// When a process gave work to the GPUs.
class GivenWork {
 public:
  void add(std::int64_t at, std::int64_t duration, bool is_kernel) {
    rows_.push_back({at, duration, is_kernel ? 1 : 0});
  }

  // To be called after the last `add`. From then on, each row has the sums of all rows before it.
  void finish() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.at < b.at; });
    Row sums;
    for (Row& row : rows_) {
      std::swap(row.duration, sums.duration);
      std::swap(row.launches, sums.launches);
      sums.duration += row.duration;
      sums.launches += row.launches;
    }
    all_ = sums;
  }

  // Adds what was given within an interval. Its end does not belong to it.
  void add_to(MarkedRanges& ranges, const Interval& time) const {
    const Row& first = sums_before(time.start);
    const Row& last = sums_before(time.end);
    ranges.launches += last.launches - first.launches;
    ranges.work_duration += last.duration - first.duration;
  }

 private:
  struct Row {
    std::int64_t at = 0;
    std::int64_t duration = 0;
    std::int64_t launches = 0;
  };

  const Row& sums_before(std::int64_t moment) const {
    const auto next = std::lower_bound(rows_.begin(), rows_.end(), moment,
                                       [](const Row& row, std::int64_t value) { return row.at < value; });
    return next == rows_.end() ? all_ : *next;
  }

  std::vector<Row> rows_;
  Row all_;
};

// What one process did on the GPUs.
struct ProcessWork {
  TimeWithin busy;
  GivenWork given;
};

std::vector<ProcessWork> work_of_processes(const Survey& survey, const IntervalSet& observed) {
  std::vector<ProcessWork> work(survey.processes.size());
  std::vector<std::vector<Interval>> times(survey.processes.size());
  const auto add = [&](const auto& activities, bool are_kernels) {
    for (const Activity& activity : activities) {
      const Index process = survey.streams[activity.stream].process;
      times[process].push_back(activity.time);
      const bool is_known = activity.call != records::kNone;
      const std::int64_t given = is_known ? survey.calls[activity.call].time.start : activity.time.start;
      work[is_known ? survey.calls[activity.call].process : process].given.add(
          given, activity.time.duration(), are_kernels);
    }
  };
  add(survey.launches, true);
  add(survey.copies, false);
  add(survey.fills, false);
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i].busy = TimeWithin(IntervalSet(std::move(times[i])).common(observed));
    work[i].given.finish();
  }
  return work;
}

}  // namespace

std::vector<MarkedRanges> marked_ranges(const Survey& survey, const IntervalSet& observed) {
  if (survey.ranges.empty()) return {};
  std::map<Index, std::map<Index, std::vector<Interval>>> all;  // By name and process.
  for (const records::Range& range : survey.ranges) all[range.name][range.process].push_back(range.time);
  const std::vector<ProcessWork> work = work_of_processes(survey, observed);
  const TimeWithin seen(observed);
  std::vector<MarkedRanges> marked;
  marked.reserve(all.size());
  for (auto& [name, processes] : all) {
    MarkedRanges ranges;
    ranges.name = name;
    std::vector<std::int64_t> durations;
    for (auto& [process, times] : processes) {
      for (const Interval& time : times) durations.push_back(time.duration());
      const IntervalSet open(std::move(times));
      for (const Interval& part : open.parts()) {
        ranges.open += seen.of(part);
        ranges.busy += work[process].busy.of(part);
        work[process].given.add_to(ranges, part);
      }
    }
    ranges.count = static_cast<std::int64_t>(durations.size());
    ranges.time = duration_summary(std::move(durations));
    marked.push_back(ranges);
  }
  std::stable_sort(marked.begin(), marked.end(),
                   [](const MarkedRanges& a, const MarkedRanges& b) { return a.time.total > b.time.total; });
  return marked;
}

}  // namespace warptune::survey::analysis::summaries
