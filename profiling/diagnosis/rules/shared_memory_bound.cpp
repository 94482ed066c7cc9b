#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_shared_memory_bound(const Facts& facts) {
  const double passes_share = facts.share_of_cycles(facts.value(metric::kSharedWavefronts));
  const UnitUse l1 = facts.unit(Unit::kL1).value_or(UnitUse{});
  const bool is_mostly_shared = passes_share >= l1.use / 2.0;
  const double share = is_mostly_shared ? std::max(passes_share, l1.use) : passes_share;
  if (share < kReached) return std::nullopt;
  return found(Severity::kLimit,
               fmt::format("Shared memory is at {:.0f} % of its throughput", std::min(share, 1.0) * 100.0),
               std::max(0.0, 1.0 - share), "the distance to one pass per cycle, or to the peak of L1",
               {{"shared_share_of_cycles", passes_share, kReached,
                 fmt::format("passes in {:.0f} % of the cycles", passes_share * 100.0)},
                evidence_of(l1),
                evidence_of(facts, metric::kSharedWavefronts)});
}

}  // namespace

Rule shared_memory_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "shared_memory_bound",
      .trigger =
          "passes through the banks of shared memory take at least 80 % of the cycles. Or L1 is used at "
          "least 80 %, and the share of cycles that these passes take is at least half of the use of L1",
      .gain = "1 - the larger of two shares: the cycles that the passes take, and the use of L1",
      .source = "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"",
      .remedy =
          "Keep more data in registers (larger tiles per thread), load vectors of four elements, exchange "
          "data by warp shuffles.",
      .limits = "An SM does one pass per cycle. Traffic to global memory uses the same pipe.",
  };
  rule.needs = {metric::kSharedWavefronts};
  rule.reads = {metric::kL1Throughput};
  rule.check = check_shared_memory_bound;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
