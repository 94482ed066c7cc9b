#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_l2_bound(const Facts& facts) {
  const UnitUse cache = facts.unit(Unit::kL2).value_or(UnitUse{});
  const double use = cache.use;
  // Data that streams from device memory also passes L2. Then device memory is the limit, not L2.
  if (cache.steady < kReached || facts.use(Unit::kDeviceMemory).value_or(0.0) >= use) return std::nullopt;
  return found(Severity::kLimit, fmt::format("The L2 cache is at {:.0f} % of its throughput", use * 100.0),
               std::max(0.0, 1.0 - use), "the distance to its peak",
               {evidence_of(facts, metric::kL2Throughput, kReached * 100.0)});
}

}  // namespace

Rule l2_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "l2_bound",
      .trigger = "the busiest part of L2 is used at least 80 %, and more than device memory",
      .gain = "1 - use of L2",
      .source = "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"",
      .remedy =
          "Reuse more data in shared memory, registers and L1, so that fewer bytes pass L2. Use whole "
          "sectors and fewer atomics.",
      .limits = "The counter is the maximum over several parts of L2, and atomics are one of them.",
  };
  rule.needs = {metric::kL2Throughput};
  rule.check = check_l2_bound;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
