#include "profiling/diagnosis/local_memory.h"

#include <fmt/format.h>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check(const Facts& facts) {
  const double spilled = facts.value(model::own_metric::kSpillBytes);
  if (spilled <= 0.0 || local_instructions(facts) <= 0.0) return std::nullopt;
  return local_memory_finding(
      facts, fmt::format("{:.0f} bytes of registers per thread are spilled", spilled),
      {{model::own_metric::kSpillBytes, spilled, 0.0, fmt::format("{:.0f} spilled bytes", spilled)}});
}

std::optional<double> target(const Facts& facts) { return facts.find(model::own_metric::kSpillBytes); }

}  // namespace

Rule register_spills_rule() {
  Rule rule;
  rule.info = {
      "register_spills",
      "the compiler spilled registers, and loads and stores of them are executed",
      "the larger of two: their share of the instructions x issue slots used, and their share of the sectors "
      "in L1 x memory time. Memory time is the larger of the use of the busiest memory unit and the share of "
      "time that warps wait for memory",
      "CUDA C++ Best Practices Guide, \"Local Memory\"; Nsight Compute Profiling Guide, \"Memory Tables\"",
      "Allow more registers (fewer blocks in __launch_bounds__, a higher -maxrregcount), smaller tiles per "
      "thread, less unrolling.",
      "Needs the compiler's report. Without it spills and indexed arrays cannot be distinguished, and "
      "local_array reports both."};
  rule.needs = {metric::kLocalLoads, metric::kLocalStores, metric::kInstructions,
                model::own_metric::kSpillBytes};
  rule.reads = {metric::kIssueSlots,
                metric::kL1Throughput,
                metric::kLocalLoadSectors,
                metric::kLocalStoreSectors,
                metric::kGlobalLoadSectors,
                metric::kGlobalStoreSectors,
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"};
  rule.check = check;
  rule.target = {"spilled bytes", target, false, false};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
