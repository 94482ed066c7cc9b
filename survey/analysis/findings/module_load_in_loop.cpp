#include <fmt/format.h>

#include <optional>

#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_module_load_in_loop(const SurveyFacts& facts) {
  GapCost most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const GapCost& cost = device.gaps.loading;
    if (cost.duration > most.duration) most = cost;
    return cost.duration;
  });
  const CodeLoads& loads = facts.whole.loads;
  if (!loads.in_loop || loads.repeated < 5 || most.count == 0) return std::nullopt;
  seen.title = fmt::format("{} calls load device code between launches, throughout the run", loads.repeated);
  seen.evidence = {fmt::format("the GPU is idle meanwhile for {}", share_text(facts, most.duration)),
                   fmt::format("{} in each of {} gaps", time_text(most.duration / most.count), most.count)};
  return seen;
}

}  // namespace

FindingRule module_load_in_loop_finding() {
  FindingRule rule;
  rule.info = {
      .id = "module_load_in_loop",
      .trigger =
          "at least 5 calls load a module or a library of device code between launches of the same kernels. "
          "If the run is divided into 8 parts with equal numbers of launches, at least 4 of them have such a "
          "call",
      .bound =
          "the idle time in gaps with such a call, also the host's own work in them, such as compiling with "
          "NVRTC",
      .why =
          "Loading copies code to the GPU, and may compile PTX first. A program that loads each module once, "
          "or lazily with the first launch of a kernel, does so in its first round only. That is a part of "
          "the start-up.",
      .source = "CUDA Driver API, \"Module Management\"; CUDA C++ Programming Guide, \"Lazy Loading\"",
      .advice =
          "Load each module once, and keep the handle of its kernel. Keep code that NVRTC compiled, by "
          "source and options.",
  };
  rule.check = check_module_load_in_loop;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
