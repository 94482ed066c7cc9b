#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kStartNs = 2800.0;  // The time that starting a launch takes on an H200.

std::optional<Finding> check_launch_bound(const Facts& facts) {
  if (facts.time_ns() > kStartNs) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("{:.1f} us of work per launch: starting the launch takes as long",
                           facts.time_ns() / 1000.0),
               kStartNs / (kStartNs + facts.time_ns()),
               "the share of the start in the start and the launch together",
               {{"time_ns", facts.time_ns(), kStartNs, fmt::format("{:.1f} us", facts.time_ns() / 1000.0)}});
}

}  // namespace

Rule launch_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "launch_bound",
      .trigger = "the launch takes no longer than its start, 2.8 us",
      .gain = "time of the start / (time of the start + time of the launch)",
      .source =
          "docs/measuring.md, \"How a launch is timed\" (the overhead of an event pair); CUDA C++ Best "
          "Practices Guide, \"Concurrent Kernel Execution\"",
      .remedy =
          "Do more work per launch: several problems at once, fusion with the kernels before and after, or a "
          "CUDA graph.",
      .limits =
          "The start was measured on an H200. A graph reduces the host's part of it. The time of the launch "
          "does not include the start.",
  };
  rule.needs = {};
  rule.check = check_launch_bound;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
