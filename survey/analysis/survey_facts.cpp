#include "survey/analysis/survey_facts.h"

#include <algorithm>
#include <utility>

#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis {

using records::Index;
using records::Survey;

std::optional<std::int64_t> SurveyFacts::given_at(const Work& work) const {
  if (work.call == records::kNone) return std::nullopt;
  return survey->calls[work.call].time.start;
}

namespace {

// The host's own work by range. Ranges are in the order of their start, so the innermost one at a moment is
// the last that began and has not ended.
std::map<Index, std::int64_t> host_gaps_by_range(const Survey& survey, const std::vector<Gap>& gaps) {
  std::map<Index, std::int64_t> by_range;
  std::vector<const records::Range*> open;
  auto next = survey.ranges.begin();
  for (const Gap& gap : gaps) {
    const std::int64_t host = gap.by_cause[static_cast<std::size_t>(IdleCause::kHost)];
    if (gap.loads || host < kLongHostWork) continue;
    for (; next != survey.ranges.end() && next->time.start <= gap.time.start; ++next) open.push_back(&*next);
    while (!open.empty() && open.back()->time.end <= gap.time.start) open.pop_back();
    if (!open.empty()) by_range[open.back()->name] += host;
  }
  return by_range;
}

}  // namespace

SurveyFacts facts_of(const Survey& survey, const IntervalSet& observed, const WholeRun& run,
                     const AnalysisOptions& options) {
  SurveyFacts facts;
  facts.survey = &survey;
  facts.run = observed.total();
  facts.whole = run;
  facts.host_link_bytes_per_s = options.host_link_bytes_per_s;
  facts.host_link_is_measured = options.host_link_bytes_per_s.has_value();
  facts.launch_s = options.launch_s;
  if (!facts.host_link_bytes_per_s && !survey.devices.empty())
    facts.host_link_bytes_per_s = host_link_bytes_per_s(survey.devices.front().gpu);
  std::vector<DeviceTimeline> timelines = device_timelines(survey, observed);
  facts.fits = grid_fits(survey);
  facts.kernels = kernel_times(survey, timelines, facts.fits, facts.run);
  for (const KernelTime& kernel : facts.kernels) {
    facts.launches += kernel.launches;
    facts.short_launches += kernel.short_launches;
  }
  for (DeviceTimeline& timeline : timelines) {
    DeviceFacts device;
    device.timeline = std::move(timeline);
    const std::vector<Index> calls = calls_for_device(survey, device.timeline);
    device.idle = idle_by_cause(survey, device.timeline, calls);
    const std::vector<Gap> gaps = gaps_of(survey, device.timeline, calls, device.idle, run.start_up.end);
    if (!run.idle_is_uncertain) device.gaps = gap_costs(gaps);
    device.host_gaps_by_range = host_gaps_by_range(survey, gaps);
    facts.devices.push_back(std::move(device));
  }
  return facts;
}

std::int64_t largest(const SurveyFacts& facts, const std::function<std::int64_t(const DeviceFacts&)>& saved) {
  std::int64_t most = 0;
  for (const DeviceFacts& device : facts.devices) most = std::max(most, saved(device));
  return most;
}

CopyCost cost_of_copies(const SurveyFacts& facts, const DeviceFacts& device,
                        const std::function<bool(const Work&)>& selects) {
  CopyCost cost;
  std::vector<records::Interval> calls;
  for (const Work& work : device.timeline.work) {
    if (work.kind != WorkKind::kCopy || !selects(work)) continue;
    ++cost.count;
    cost.bytes += facts.copy(work).bytes;
    cost.duration += facts.copy(work).time.duration();
    cost.alone += work.alone;
    if (work.call != records::kNone) calls.push_back(facts.survey->calls[work.call].time);
  }
  if (facts.whole.idle_is_uncertain) return cost;
  const IntervalSet& copying = device.idle[static_cast<std::size_t>(IdleCause::kCopying)];
  cost.idle = copying.common(IntervalSet(std::move(calls))).total();
  return cost;
}

}  // namespace warptune::survey::analysis
