#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr const char* kBarrierStalls = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr double kMinBarrierShare = 0.2;

std::optional<Finding> check_barrier_stalls(const Facts& facts) {
  const double share = facts.stall_share("barrier").value_or(0.0);
  const UnitUse busiest = facts.busiest();
  if (share < kMinBarrierShare || busiest.steady >= kReached) return std::nullopt;
  return found(Severity::kFault, fmt::format("Warps wait at barriers {:.0f} % of their time", share * 100.0),
               facts.bounded(share, {}), "the warps' time at barriers",
               {{"barrier_stall_share", share, kMinBarrierShare,
                 fmt::format("at barriers {:.0f} % of the warps' time", share * 100.0)},
                evidence_of(busiest)});
}

std::optional<double> target_of_barrier_stalls(const Facts& facts) { return facts.stall_share("barrier"); }

}  // namespace

Rule barrier_stalls_rule() {
  Rule rule;
  rule.info = {
      .id = "barrier_stalls",
      .trigger =
          "warps wait at barriers in at least 20 % of their time, and every unit is used less than 80 %",
      .gain = "the share of the warps' time at barriers, bounded by the busiest unit",
      .source = "Nsight Compute Profiling Guide, \"Warp State Statistics\"",
      .remedy =
          "Use fewer barriers (double buffering, barriers of warps), balanced work between them, or smaller "
          "blocks, so that other blocks fill the gap.",
      .limits = "Waiting costs nothing while other blocks keep the SM busy.",
  };
  rule.needs = {kBarrierStalls, metric::kAchievedOccupancy, metric::kIssueSlots};
  rule.causes = {"divergence", "shared_bank_conflicts", "shared_as_cache"};
  rule.check = check_barrier_stalls;
  rule.target = {.label = "waiting at barriers", .value = target_of_barrier_stalls, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
