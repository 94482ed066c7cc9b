#include "profiling/diagnosis/local_memory.h"

#include <algorithm>
#include <utility>

#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::diagnosis {

double local_instructions(const Facts& facts) {
  return facts.value(metric::kLocalLoads) + facts.value(metric::kLocalStores);
}

Finding local_memory_finding(const Facts& facts, std::string title, std::vector<Evidence> evidence) {
  const double instructions = local_instructions(facts) / std::max(1.0, facts.value(metric::kInstructions));
  const double sectors = facts.value(metric::kLocalLoadSectors) + facts.value(metric::kLocalStoreSectors);
  const double all =
      sectors + facts.value(metric::kGlobalLoadSectors) + facts.value(metric::kGlobalStoreSectors);
  const double moved = sectors / std::max(1.0, all);
  const double waste =
      std::max(instructions * facts.use(Unit::kIssueSlots).value_or(0.0), moved * facts.memory_share());
  evidence.push_back(evidence_of(facts, metric::kLocalLoads));
  evidence.push_back(evidence_of(facts, metric::kLocalStores));
  return found(Severity::kFault, std::move(title),
               facts.bounded(waste, {Unit::kDeviceMemory, Unit::kL2, Unit::kL1, Unit::kIssueSlots}),
               "their share of the issue slots, or of the sectors in L1", std::move(evidence));
}

std::vector<std::string_view> local_memory_reads(std::vector<std::string_view> first) {
  first.insert(first.end(),
               {metric::kIssueSlots, metric::kL1Throughput, metric::kLocalLoadSectors,
                metric::kLocalStoreSectors, metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"});
  return first;
}

}  // namespace warptune::profiling::diagnosis
