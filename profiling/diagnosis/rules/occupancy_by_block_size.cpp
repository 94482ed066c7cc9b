#include "profiling/diagnosis/occupancy_finding.h"

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::detail {

namespace {

std::optional<Finding> check(const Facts& facts) {
  return low_occupancy_finding(facts, OccupancyLimiter::kWarps, "the size of blocks");
}

std::optional<double> target(const Facts& facts) {
  const double occupancy = facts.theoretical_occupancy();
  return occupancy > 0.0 ? std::optional<double>(occupancy) : std::nullopt;
}

}  // namespace

Rule occupancy_by_block_size_rule() {
  Rule rule;
  rule.info = {
      "occupancy_by_block_size",
      "theoretical occupancy below 100 % by the size of blocks, the grid fills the GPU once, no unit used 80 "
      "%, and warps wait for latencies (memory, shared memory, fixed ones) in at least 30 % of their time",
      "1 - the larger of theoretical occupancy and the use of the busiest unit: time falls at most in "
      "proportion to the warps",
      "CUDA C++ Best Practices Guide, \"Occupancy\"; Nsight Compute Profiling Guide, \"Occupancy\"; V. "
      "Volkov, Understanding Latency Hiding on GPUs (2016), chapter 4",
      "A block size whose warps divide those of an SM (64 or 48, Turing 32): 128, 256 or 512 threads.",
      "More warps help only what waits; see occupancy_suffices. Where other limits are near, less is to be "
      "had. Without the stall counters only a hint."};
  rule.needs = {metric::kLaunch, metric::kIssueSlots};
  rule.reads = {metric::kAchievedOccupancy,
                metric::kDramBytes,
                metric::kL1Throughput,
                metric::kL2Throughput,
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"};
  rule.check = check;
  rule.target = {"theoretical occupancy", target, true, true, true};
  return rule;
}

}  // namespace warptune::profiling::detail
