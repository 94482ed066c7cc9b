#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_launch_bound(const SurveyFacts& facts) {
  GapCost most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const GapCost& cost = device.gaps.launching;
    if (cost.duration > most.duration) most = cost;
    return cost.duration;
  });
  if (facts.launches < 1000 || 2 * facts.short_launches < facts.launches || most.count == 0)
    return std::nullopt;
  seen.title = fmt::format("{} of {} launches take less than 10 us, and the host cannot keep up",
                           facts.short_launches, facts.launches);
  seen.evidence = {fmt::format("idle between them for {}", share_text(facts, most.duration)),
                   fmt::format("{} in each of {} gaps", time_text(most.duration / most.count), most.count)};
  if (facts.launch_s)
    seen.evidence.push_back(
        fmt::format("one of many launches of an empty kernel takes {}, as stored for this GPU",
                    base::format_time_ns(1e9 * *facts.launch_s)));
  const std::vector<records::Launch>& launches = facts.survey->launches;
  const auto in_graphs = std::count_if(launches.begin(), launches.end(),
                                       [](const records::Launch& launch) { return launch.graph != 0; });
  if (in_graphs > 0)
    seen.evidence.push_back(fmt::format("{} of all launches are nodes of CUDA graphs already", in_graphs));
  return seen;
}

}  // namespace

FindingRule launch_bound_finding() {
  FindingRule rule;
  rule.info = {
      .id = "launch_bound",
      .trigger =
          "at least 1000 launches, of which half or more take less than 10 us. There are gaps in which the "
          "next launch came too late, without a wait, an allocation or other work of the host",
      .bound = "the idle time of these gaps",
      .why =
          "The host needs some microseconds for each launch. If kernels are shorter than that, the GPU waits "
          "for launches.",
      .source =
          "CUDA C++ Programming Guide, \"CUDA Graphs\"; NVIDIA, \"Getting Started with CUDA Graphs\" "
          "(developer blog)",
      .advice =
          "Capture the launches as a CUDA graph and launch that, or fuse small kernels into one. In PyTorch, "
          "torch.compile and CUDA graphs do this.",
  };
  rule.in_host_programs = true;
  rule.check = check_launch_bound;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
