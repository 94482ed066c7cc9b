#include "survey/analysis/survey_analysis.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "survey/analysis/copy_groups.h"
#include "survey/analysis/findings/finding_rule.h"
#include "survey/analysis/findings/stream_turns.h"
#include "survey/analysis/survey_facts.h"

namespace warptune::survey::analysis {

namespace {

DeviceTime time_of(const SurveyFacts& facts, const DeviceFacts& device) {
  const DeviceTimeline& timeline = device.timeline;
  DeviceTime time;
  time.device = timeline.device;
  const std::vector<records::Stream>& all = facts.survey->streams;
  time.unused = !all.empty() && std::none_of(all.begin(), all.end(), [&](const records::Stream& stream) {
    return stream.device == time.device;
  });
  time.window = facts.run;
  time.kernels = timeline.kernels.total();
  time.copies_beside_kernels = timeline.kernels.common(timeline.transfers).total();
  time.copies_only = timeline.transfers.total() - time.copies_beside_kernels;
  time.idle = timeline.idle.total();
  time.overlapped = timeline.overlapped;
  for (std::size_t i = 0; i < kIdleCauses; ++i) time.idle_by_cause[i] = device.idle[i].total();
  time.copies_could_overlap = std::min(time.copies_only, time.kernels - time.copies_beside_kernels);
  std::set<records::Index> streams;
  for (const Work& work : timeline.work) streams.insert(work.stream);
  time.streams = static_cast<std::int64_t>(streams.size());
  const findings::StreamTurns turns = findings::stream_turns(facts, device);
  time.streams_could_overlap = std::max(turns.by_host.saved, turns.by_default_stream.saved);
  return time;
}

double launches_per_second(const SurveyFacts& facts) {
  std::int64_t launches = 0;
  for (const DeviceFacts& device : facts.devices) {
    for (const Work& work : device.timeline.work) launches += work.kind == WorkKind::kKernel;
  }
  return 1e9 * static_cast<double>(launches) / static_cast<double>(facts.run);
}

}  // namespace

std::string_view to_string(IdleCause cause) {
  static constexpr std::string_view kNames[kIdleCauses] = {"host",    "launching",  "waiting",
                                                           "copying", "allocating", "loading"};
  return kNames[static_cast<std::size_t>(cause)];
}

SurveyAnalysis analyse(const records::Survey& survey, const AnalysisOptions& options) {
  const IntervalSet observed = observed_time(survey);
  WholeRun whole;
  whole.loads = code_loads(survey);
  whole.idle_is_uncertain = idle_is_uncertain(survey);
  whole.start_up = start_up_of(survey, observed, whole.loads);
  SurveyFacts facts = facts_of(survey, observed, whole, options);
  SurveyAnalysis analysis;
  analysis.start_up = whole.start_up;
  std::optional<SurveyFacts> steady;
  if (const IntervalSet time = steady_time(survey, observed, whole.start_up); !time.empty()) {
    steady = facts_of(survey, time, whole, options);
    analysis.steady = {time.parts().front().start, time.parts().back().end};
    for (const DeviceFacts& device : steady->devices)
      analysis.steady_devices.push_back(time_of(*steady, device));
    analysis.launches_per_second = launches_per_second(*steady);
  }
  analysis.observed = facts.run;
  analysis.idle_is_uncertain = whole.idle_is_uncertain;
  analysis.host_link_bytes_per_s = facts.host_link_bytes_per_s;
  analysis.host_link_is_measured = facts.host_link_is_measured;
  for (const DeviceFacts& device : facts.devices) analysis.devices.push_back(time_of(facts, device));
  analysis.copies = copy_groups(survey, facts.host_link_bytes_per_s);
  analysis.fills = summaries::fill_groups(survey);
  analysis.calls = summaries::call_groups(survey);
  analysis.graphs = summaries::graph_launches(survey);
  analysis.ranges = summaries::marked_ranges(survey, observed);
  analysis.launches = facts.launches;
  analysis.short_launches = facts.short_launches;
  analysis.findings = findings::findings_of(facts, steady ? &*steady : nullptr, options.host_program);
  analysis.kernels = std::move(facts.kernels);
  return analysis;
}

}  // namespace warptune::survey::analysis
