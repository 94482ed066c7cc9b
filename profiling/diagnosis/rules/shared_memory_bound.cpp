#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check(const Facts& facts) {
  const double share = facts.share_of_cycles(facts.value(metric::kSharedWavefronts));
  if (share < kReached) return std::nullopt;
  return found(
      Severity::kLimit,
      fmt::format("Shared memory is at {:.0f} % of its throughput", std::min(share, 1.0) * 100.0),
      std::max(0.0, 1.0 - share), "the cycles without a pass (an SM does one pass per cycle)",
      {{"shared_share_of_cycles", share, kReached, fmt::format("{:.0f} % of the cycles", share * 100.0)},
       evidence_of(facts, metric::kSharedWavefronts)});
}

}  // namespace

Rule shared_memory_bound_rule() {
  Rule rule;
  rule.info = {"shared_memory_bound",
               "passes through the banks of shared memory take at least 80 % of the cycles",
               "1 - that share",
               "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"",
               "Keep more data in registers (larger tiles per thread), load vectors of four elements, "
               "exchange data by warp shuffles.",
               "An SM does one pass per cycle. Traffic to global memory uses the same pipe."};
  rule.needs = {metric::kSharedWavefronts};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
