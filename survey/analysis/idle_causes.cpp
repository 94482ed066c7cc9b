#include "survey/analysis/idle_causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warptune::survey::analysis {

using records::Call;
using records::CallKind;
using records::Index;
using records::Interval;
using records::Survey;

namespace {

using ThreadKey = std::pair<Index, std::uint32_t>;

std::size_t index_of(IdleCause cause) { return static_cast<std::size_t>(cause); }

ThreadKey thread_of(const Call& call) { return {call.process, call.thread}; }

// The time of all calls by their cause, and when a thread that lives does not wait.
struct CallTimes {
  std::array<IntervalSet, kIdleCauses> by_cause;
  IntervalSet not_waiting;
};

CallTimes times_of_calls(const Survey& survey, const std::vector<Index>& calls) {
  std::array<std::vector<Interval>, kIdleCauses> by_cause;
  std::vector<Interval> not_waiting;
  std::map<ThreadKey, std::int64_t>
      free_since;  // When the last wait of a thread ended, or its first call began.
  std::map<ThreadKey, std::int64_t> last;
  for (const Index index : calls) {
    const Call& call = survey.calls[index];
    const IdleCause cause = cause_of(survey, call);
    by_cause[index_of(cause)].push_back(call.time);
    const ThreadKey thread = thread_of(call);
    const auto [since, is_first] = free_since.try_emplace(thread, call.time.start);
    std::int64_t& end = last.try_emplace(thread, call.time.end).first->second;
    end = std::max(end, call.time.end);
    if (cause != IdleCause::kWaiting) continue;
    not_waiting.push_back({since->second, call.time.start});
    since->second = std::max(since->second, call.time.end);
  }
  for (const auto& [thread, since] : free_since) not_waiting.push_back({since, last[thread]});
  CallTimes times;
  for (std::size_t i = 0; i < kIdleCauses; ++i) times.by_cause[i] = IntervalSet(std::move(by_cause[i]));
  times.not_waiting = IntervalSet(std::move(not_waiting));
  return times;
}

// Whether a sorted list has a time within an interval.
bool has_within(const std::vector<std::int64_t>& times, const Interval& interval) {
  const auto first = std::lower_bound(times.begin(), times.end(), interval.start);
  return first != times.end() && *first <= interval.end;
}

struct CallEnds {
  std::vector<std::int64_t> loads;
  std::vector<std::int64_t> allocations;
  std::vector<std::int64_t> waits;
};

CallEnds ends_of_calls(const Survey& survey, const DeviceTimeline& timeline,
                       const std::vector<Index>& calls) {
  CallEnds ends;
  for (const Index index : calls) {
    const Call& call = survey.calls[index];
    const IdleCause cause = cause_of(survey, call);
    if (cause == IdleCause::kLoading) ends.loads.push_back(call.time.end);
    if (cause == IdleCause::kAllocating) ends.allocations.push_back(call.time.end);
    if (cause == IdleCause::kWaiting) ends.waits.push_back(call.time.end);
  }
  for (const Work& work : timeline.work) {
    if (work.kind != WorkKind::kCopy || work.call == records::kNone) continue;
    if (!survey.copies[work.record].asynchronous) ends.waits.push_back(survey.calls[work.call].time.end);
  }
  for (std::vector<std::int64_t>* list : {&ends.loads, &ends.allocations, &ends.waits})
    std::sort(list->begin(), list->end());
  return ends;
}

}  // namespace

IdleCause cause_of(CallKind kind) {
  switch (kind) {
    case CallKind::kLaunch:
    case CallKind::kGraphLaunch:
    case CallKind::kFill:
      return IdleCause::kLaunching;
    case CallKind::kCopy:
      return IdleCause::kCopying;
    case CallKind::kWait:
      return IdleCause::kWaiting;
    case CallKind::kAllocation:
    case CallKind::kFree:
    case CallKind::kHostAllocation:
      return IdleCause::kAllocating;
    case CallKind::kModuleLoad:
      return IdleCause::kLoading;
    case CallKind::kOther:
      break;
  }
  return IdleCause::kHost;
}

IdleCause cause_of(const Survey& survey, const Call& call) {
  const IdleCause cause = cause_of(call.kind);
  const bool is_queued = cause == IdleCause::kAllocating && survey.names[call.name].ends_with("Async") &&
                         call.time.duration() < kLongHostWork;
  return is_queued ? IdleCause::kLaunching : cause;
}

std::vector<Index> calls_for_device(const Survey& survey, const DeviceTimeline& timeline) {
  std::set<ThreadKey> threads;
  for (const Work& work : timeline.work) {
    if (work.call != records::kNone) threads.insert(thread_of(survey.calls[work.call]));
  }
  std::set<Index> processes;
  for (const records::Stream& stream : survey.streams) {
    if (stream.device == timeline.device) processes.insert(stream.process);
  }
  std::vector<Index> calls;
  for (std::size_t i = 0; i < survey.calls.size(); ++i) {
    const Call& call = survey.calls[i];
    const bool counts =
        threads.empty() ? processes.contains(call.process) : threads.contains(thread_of(call));
    if (counts) calls.push_back(static_cast<Index>(i));
  }
  return calls;
}

std::array<IntervalSet, kIdleCauses> idle_by_cause(const Survey& survey, const DeviceTimeline& timeline,
                                                   const std::vector<Index>& calls) {
  const CallTimes times = times_of_calls(survey, calls);
  std::array<IntervalSet, kIdleCauses> idle;
  IntervalSet rest = timeline.idle;
  for (const IdleCause cause :
       {IdleCause::kLaunching, IdleCause::kCopying, IdleCause::kAllocating, IdleCause::kLoading}) {
    idle[index_of(cause)] = rest.common(times.by_cause[index_of(cause)]);
    rest = rest.without(times.by_cause[index_of(cause)]);
  }
  const std::size_t waiting = index_of(IdleCause::kWaiting);
  idle[waiting] = rest.common(times.by_cause[waiting]).without(times.not_waiting);
  idle[index_of(IdleCause::kHost)] = rest.without(idle[waiting]);
  return idle;
}

std::vector<Gap> gaps_of(const Survey& survey, const DeviceTimeline& timeline,
                         const std::vector<Index>& calls, const std::array<IntervalSet, kIdleCauses>& idle,
                         std::int64_t from) {
  std::vector<Gap> gaps;
  if (timeline.work.empty()) return gaps;
  std::int64_t last = 0;
  for (const Work& work : timeline.work) last = std::max(last, work.time.end);
  const CallEnds ends = ends_of_calls(survey, timeline, calls);
  std::array<std::size_t, kIdleCauses> next{};
  for (const Interval& interval : timeline.idle.parts()) {
    Gap gap;
    gap.time = interval;
    for (std::size_t i = 0; i < kIdleCauses; ++i) {
      const std::vector<Interval>& parts = idle[i].parts();
      for (; next[i] < parts.size() && parts[next[i]].start < interval.end; ++next[i])
        gap.by_cause[i] += parts[next[i]].duration();
    }
    const bool is_outer = interval.end <= timeline.work.front().time.start || interval.start >= last;
    if (is_outer || interval.start < from) continue;
    gap.loads = gap.by_cause[index_of(IdleCause::kLoading)] > 0 || has_within(ends.loads, interval);
    gap.allocates =
        gap.by_cause[index_of(IdleCause::kAllocating)] > 0 || has_within(ends.allocations, interval);
    gap.waits = has_within(ends.waits, interval);
    gaps.push_back(gap);
  }
  return gaps;
}

void GapCost::add(std::int64_t part) {
  if (part <= 0) return;
  duration += part;
  ++count;
  longest = std::max(longest, part);
}

GapCosts gap_costs(const std::vector<Gap>& gaps) {
  GapCosts costs;
  for (const Gap& gap : gaps) {
    const std::int64_t host = gap.by_cause[index_of(IdleCause::kHost)];
    const std::int64_t allocating = gap.by_cause[index_of(IdleCause::kAllocating)];
    std::int64_t rest =
        gap.by_cause[index_of(IdleCause::kLaunching)] + gap.by_cause[index_of(IdleCause::kWaiting)];
    if (gap.loads) {
      costs.loading.add(gap.by_cause[index_of(IdleCause::kLoading)] + allocating + host + rest);
      continue;
    }
    if (host >= kLongHostWork) costs.host.add(host);
    if (host < kLongHostWork) rest += host;
    if (gap.allocates)
      costs.allocating.add(allocating + rest);
    else
      (gap.waits ? costs.waiting : costs.launching).add(rest);
  }
  return costs;
}

}  // namespace warptune::survey::analysis
