#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kStartNs = 2800.0;

std::optional<Finding> check(const Facts& facts) {
  if (facts.time_ns() > kStartNs) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("{:.1f} us of work a launch: starting it takes as long", facts.time_ns() / 1000.0),
               kStartNs / (kStartNs + facts.time_ns()), "what starting a launch takes, with it",
               {{"time_ns", facts.time_ns(), kStartNs, fmt::format("{:.1f} us", facts.time_ns() / 1000.0)}});
}

}  // namespace

Rule launch_bound_rule() {
  Rule rule;
  rule.info = {"launch_bound",
               "the launch takes no longer than starting it does, 2.8 us",
               "starting / (starting + time)",
               "docs/measuring.md, \"How a launch is timed\" (what an event pair reads beyond a kernel of "
               "known length); CUDA C++ Best Practices Guide, \"Concurrent Kernel Execution\"",
               "Do more in a launch: several problems at once, fuse with neighbours, a CUDA graph.",
               "Measured on an H200; a graph lowers what the host spends, and part of this. The time itself "
               "has no start in it."};
  rule.needs = {};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
