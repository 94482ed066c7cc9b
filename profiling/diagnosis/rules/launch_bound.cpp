#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::detail {

namespace {

constexpr double kEmptyLaunchNs = 2000.0;

std::optional<Finding> check(const Facts& facts) {
  if (facts.time_ns() > 2.0 * kEmptyLaunchNs) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("{:.1f} us is hardly more than an empty launch takes", facts.time_ns() / 1000.0),
               std::min(1.0, kEmptyLaunchNs / facts.time_ns()), "what an empty launch takes",
               {{"time_ns", facts.time_ns(), 2.0 * kEmptyLaunchNs,
                 fmt::format("{:.1f} us", facts.time_ns() / 1000.0)}});
}

}  // namespace

Rule launch_bound_rule() {
  Rule rule;
  rule.info = {"launch_bound",
               "the launch takes at most twice what an empty one does",
               "time of an empty launch / time",
               "docs/measuring.md (how a launch is timed); CUDA C++ Best Practices Guide, \"Concurrent "
               "Kernel Execution\", \"CUDA Graphs\"",
               "Do more in a launch: several problems at once, fuse with neighbours, a CUDA graph.",
               "An empty launch is taken as 2 us; a graph lowers what the host spends, not this."};
  rule.needs = {};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::detail
