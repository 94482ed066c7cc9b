#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

// Names the NVTX range with the largest part of the gaps, if it is at least half.
void add_range(const SurveyFacts& facts, const DeviceFacts& device, Seen& seen) {
  const auto& by_range = device.host_gaps_by_range;
  const auto most = std::max_element(by_range.begin(), by_range.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_range.end() || 2 * most->second < seen.saved) return;
  seen.evidence.push_back(fmt::format("{} of it within the NVTX range {}", time_text(most->second),
                                      facts.survey->names[most->first]));
}

std::optional<Seen> check_idle_gaps(const SurveyFacts& facts) {
  const DeviceFacts* device = nullptr;
  for (const DeviceFacts& other : facts.devices) {
    if (device == nullptr || other.gaps.host.duration > device->gaps.host.duration) device = &other;
  }
  if (device == nullptr || device->gaps.host.count == 0) return std::nullopt;
  const GapCost& most = device->gaps.host;
  Seen seen;
  seen.saved = most.duration;
  seen.title = fmt::format("The GPU is idle {} times while the host works on something else", most.count);
  seen.evidence = {fmt::format("idle for {}", share_text(facts, most.duration)),
                   fmt::format("{} on average", time_text(most.duration / most.count)),
                   fmt::format("the longest took {}", time_text(most.longest))};
  add_range(facts, *device, seen);
  return seen;
}

}  // namespace

FindingRule idle_gaps_finding() {
  FindingRule rule;
  rule.info = {
      .id = "idle_gaps",
      .trigger =
          "gaps between two activities in which the program's threads did something other than calling CUDA "
          "for 50 us or more",
      .bound = "that time",
      .why =
          "A launch takes a few microseconds of the host, so 50 us are other work: reading files, preparing "
          "data, or the code of a framework. What happens in the start-up and after the last activity is "
          "not counted.",
      .source = "CUDA C++ Best Practices Guide, \"Asynchronous and Overlapping Transfers with Computation\"",
      .advice =
          "Prepare the next step on another thread, or launch the next kernels before this work. NVTX ranges "
          "show which code it is.",
  };
  rule.check = check_idle_gaps;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
