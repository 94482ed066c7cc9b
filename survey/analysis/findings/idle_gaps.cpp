#include <fmt/format.h>

#include <optional>

#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_idle_gaps(const SurveyFacts& facts) {
  GapCost most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const GapCost& cost = device.gaps.host;
    if (cost.duration > most.duration) most = cost;
    return cost.duration;
  });
  if (most.count == 0) return std::nullopt;
  seen.title = fmt::format("The GPU is idle {} times while the host works on something else", most.count);
  seen.evidence = {fmt::format("idle for {}", share_text(facts, most.duration)),
                   fmt::format("{} on average", time_text(most.duration / most.count)),
                   fmt::format("the longest took {}", time_text(most.longest))};
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
          "data, or the code of a framework. What happens before the first and after the last activity is "
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
