#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/occupancy_finding.h"
#include "profiling/diagnosis/rules/rule_list.h"

// There is one rule for each limiter of occupancy. The rules differ in the limiter and in the remedy.
namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<double> target_of_occupancy_limits(const Facts& facts) {
  const double occupancy = facts.theoretical_occupancy();
  return occupancy > 0.0 ? std::optional<double>(occupancy) : std::nullopt;
}

/// Makes the rule `name`. `limiter` is the limiter's name in the texts of the rule and its findings.
Rule occupancy_rule(std::string_view name, std::string_view limiter, std::string_view remedy,
                    std::optional<Finding> (*check)(const Facts&)) {
  Rule rule;
  rule.info = {
      .id = name,
      .trigger =
          fmt::format("theoretical occupancy is limited below 100 % by {}. The grid fills the GPU once, and "
                      "every unit is used less than 80 %. Warps wait for latencies (memory, shared memory, "
                      "fixed ones) in at least 30 % of their time. Short launches are not judged",
                      limiter),
      .gain =
          "1 - the larger of theoretical occupancy and the use of the busiest unit: the time falls at most "
          "in proportion to the warps",
      .source =
          "CUDA C++ Best Practices Guide, \"Occupancy\"; Nsight Compute Profiling Guide, \"Occupancy\"; V. "
          "Volkov, Understanding Latency Hiding on GPUs (2016), chapter 4",
      .remedy = remedy,
      .limits =
          "More warps help only kernels that wait; see occupancy_suffices. If other limits are near, the "
          "gain is smaller. Without the stall counters this is only a hint.",
  };
  rule.needs = {metric::kLaunch, metric::kIssueSlots};
  rule.reads = {metric::kAchievedOccupancy,
                metric::kDramBytes,
                metric::kL1Throughput,
                metric::kL2Throughput,
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"};
  rule.causes = {"uncoalesced_loads", "uncoalesced_stores", "register_spills", "local_array"};
  rule.check = check;
  rule.target = {.label = "theoretical occupancy",
                 .value = target_of_occupancy_limits,
                 .raise = true,
                 .is_share = true,
                 .by_resources = true};
  return rule;
}

constexpr const char* kBlockSize = "the size of blocks";
constexpr const char* kBlocks = "the number of blocks per SM";
constexpr const char* kRegisters = "registers";
constexpr const char* kSharedMemory = "shared memory";

}  // namespace

Rule occupancy_by_block_size_rule() {
  return occupancy_rule(
      "occupancy_by_block_size", kBlockSize,
      "Use a block size whose number of warps divides the warps that an SM holds (64 or 48, Turing 32): 128, "
      "256 or 512 threads.",
      [](const Facts& facts) { return low_occupancy_finding(facts, OccupancyLimiter::kWarps, kBlockSize); });
}

Rule occupancy_by_blocks_rule() {
  return occupancy_rule(
      "occupancy_by_blocks", kBlocks,
      "Use larger blocks. With fewer than 64 threads per block, an SM reaches its limit of blocks before its "
      "limit of warps.",
      [](const Facts& facts) { return low_occupancy_finding(facts, OccupancyLimiter::kBlocks, kBlocks); });
}

Rule occupancy_by_registers_rule() {
  return occupancy_rule(
      "occupancy_by_registers", kRegisters,
      "Use fewer registers per thread: smaller tiles, less unrolling, __launch_bounds__ with a number of "
      "blocks. Or use smaller blocks, if the registers that are left would be enough for a part of a block.",
      [](const Facts& facts) {
        return low_occupancy_finding(facts, OccupancyLimiter::kRegisters, kRegisters);
      });
}

Rule occupancy_by_shared_memory_rule() {
  return occupancy_rule("occupancy_by_shared_memory", kSharedMemory,
                        "Use smaller tiles, fewer stages or narrower types in shared memory. Or use larger "
                        "blocks that share one tile.",
                        [](const Facts& facts) {
                          return low_occupancy_finding(facts, OccupancyLimiter::kSharedMemory, kSharedMemory);
                        });
}

}  // namespace warptune::profiling::diagnosis::rules
