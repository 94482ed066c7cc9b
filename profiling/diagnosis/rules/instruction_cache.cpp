#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::detail {

namespace {

constexpr const char* kStalled = "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio";
constexpr double kMuch = 0.15;

std::optional<Finding> check(const Facts& facts) {
  const double share = facts.stall_share("no_instruction").value_or(0.0);
  if (share < kMuch || facts.busiest().use >= kReached) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Warps wait for instructions {:.0f} % of their time", share * 100.0),
               facts.bounded(share, {}), "the warps' time without an instruction",
               {{kStalled, share * 100.0, kMuch * 100.0,
                 fmt::format("without an instruction {:.0f} % of the warps' time", share * 100.0)}});
}

std::optional<double> target(const Facts& facts) { return facts.stall_share("no_instruction"); }

}  // namespace

Rule instruction_cache_rule() {
  Rule rule;
  rule.info = {"instruction_cache",
               "warps wait for instructions in at least 15 % of their time, no unit used 80 %",
               "that share, bounded by the busiest unit",
               "Nsight Compute Profiling Guide, \"Warp State Statistics\" (no instruction)",
               "Smaller code: unroll less, fewer inlined copies, roll long straight parts into loops.",
               "Kernels of a few microseconds always fetch their code cold."};
  rule.needs = {kStalled, metric::kAchievedOccupancy, metric::kIssueSlots};
  rule.causes = {"launch_bound"};
  rule.check = check;
  rule.target = {"waiting for instructions", target, false, true};
  return rule;
}

}  // namespace warptune::profiling::detail
