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

SurveyFacts facts_of(const Survey& survey, const IntervalSet& observed, const AnalysisOptions& options) {
  SurveyFacts facts;
  facts.survey = &survey;
  facts.run = observed.total();
  facts.host_link_bytes_per_s = options.host_link_bytes_per_s;
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
    device.gaps = gap_costs(gaps_of(survey, device.timeline, calls, device.idle));
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
    cost.duration += work.time.duration();
    cost.alone += work.alone;
    if (work.call != records::kNone) calls.push_back(facts.survey->calls[work.call].time);
  }
  const IntervalSet& copying = device.idle[static_cast<std::size_t>(IdleCause::kCopying)];
  cost.idle = copying.common(IntervalSet(std::move(calls))).total();
  return cost;
}

}  // namespace warptune::survey::analysis
