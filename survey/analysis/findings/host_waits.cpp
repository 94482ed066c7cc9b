#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_host_waits(const SurveyFacts& facts) {
  GapCost most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const GapCost& cost = device.gaps.waiting;
    if (cost.duration > most.duration) most = cost;
    return cost.duration;
  });
  if (most.count < 10) return std::nullopt;
  seen.title = fmt::format("The GPU is idle after {} waits of the host", most.count);
  seen.evidence = {fmt::format("idle for {}", share_text(facts, most.duration)),
                   fmt::format("{} for each wait", time_text(most.duration / most.count)),
                   base::counted(static_cast<std::uint64_t>(facts.launches), "launch", "launches")};
  return seen;
}

}  // namespace

FindingRule host_waits_finding() {
  FindingRule rule;
  rule.info = {
      .id = "host_waits",
      .trigger =
          "at least 10 times, a call that waits for the GPU, or a synchronous copy, ended after the GPU had "
          "nothing left to do",
      .bound =
          "the idle time of these gaps, without copying, allocating, loading and the host's own work of 50 "
          "us or more",
      .why =
          "While the host waits, it gives the GPU no new work. So the GPU is idle until the host returned "
          "from the call and the next launch arrived.",
      .source =
          "CUDA C++ Best Practices Guide, \"Asynchronous and Overlapping Transfers with Computation\"; CUDA "
          "C++ Programming Guide, \"Asynchronous Concurrent Execution\"",
      .advice =
          "Wait only where the host reads a result. Work of one stream runs in order without it. Let events "
          "and cudaStreamWaitEvent order different streams.",
  };
  rule.in_host_programs = true;
  rule.check = check_host_waits;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
