#include "survey/analysis/findings/stream_turns.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warptune::survey::analysis::findings {

namespace {

constexpr std::int64_t kFewTurns = 10;
// If the host works for longer between two streams, it has something else to do.
constexpr std::int64_t kSoonAfter = 200'000;

bool is_default(const SurveyFacts& facts, const Work& work) {
  return facts.survey->streams[work.stream].is_default;
}

records::Index process_of(const SurveyFacts& facts, const Work& work) {
  return facts.survey->streams[work.stream].process;
}

// The time that the busiest engine needs for the work that a function selects, and how long such work ran.
template <class Selects>
std::int64_t saved_by_overlap(const SurveyFacts& facts, const DeviceFacts& device, Selects selects) {
  double up = 0.0;
  double down = 0.0;
  double kernels = 0.0;
  std::vector<records::Interval> times;
  for (const Work& work : device.timeline.work) {
    if (!selects(work)) continue;
    times.push_back(work.time);
    const auto duration = static_cast<double>(work.observed);
    if (work.kind == WorkKind::kKernel) {
      const std::optional<GridFit>& fit = facts.fits[facts.launch(work).shape];
      kernels += duration * (fit ? fit->gpu_share : 1.0);
    } else if (work.kind == WorkKind::kCopy &&
               facts.copy(work).direction == records::CopyDirection::kDeviceToHost) {
      down += duration;
    } else {
      up += duration;
    }
  }
  const auto busiest = static_cast<std::int64_t>(std::max({up, down, kernels}));
  const IntervalSet busy = device.timeline.kernels.united(device.timeline.transfers);
  return std::max<std::int64_t>(0, IntervalSet(std::move(times)).common(busy).total() - busiest);
}

}  // namespace

StreamTurns stream_turns(const SurveyFacts& facts, const DeviceFacts& device) {
  StreamTurns turns;
  std::set<records::Index> streams;
  const Work* before = nullptr;
  for (const Work& work : device.timeline.work) {
    if (!is_default(facts, work)) streams.insert(work.stream);
    if (before != nullptr && before->stream != work.stream &&
        process_of(facts, work) == process_of(facts, *before)) {
      ++turns.all;
      const std::optional<std::int64_t> given = facts.given_at(work);
      const bool is_after = work.time.start >= before->time.end;
      const bool is_of_default = is_default(facts, work) != is_default(facts, *before);
      if (is_after && given && *given >= before->time.end && !is_of_default &&
          work.time.start - before->time.end <= kSoonAfter)
        ++turns.by_host.count;
      if (is_after && given && *given < before->time.end && is_of_default) ++turns.by_default_stream.count;
    }
    before = &work;
  }
  turns.streams = static_cast<std::int64_t>(streams.size());
  const auto is_cause = [&](const Turns& cause) {
    return cause.count >= kFewTurns && 2 * cause.count >= turns.all;
  };
  if (is_cause(turns.by_host)) {
    turns.by_host.saved =
        saved_by_overlap(facts, device, [&](const Work& work) { return !is_default(facts, work); });
  }
  if (is_cause(turns.by_default_stream))
    turns.by_default_stream.saved = saved_by_overlap(facts, device, [](const Work&) { return true; });
  return turns;
}

}  // namespace warptune::survey::analysis::findings
