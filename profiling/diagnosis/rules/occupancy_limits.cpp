#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/occupancy_finding.h"
#include "profiling/diagnosis/rules/rule_list.h"

// One rule for each limiter of occupancy; they differ in its name and in what helps.
namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<double> target(const Facts& facts) {
  const double occupancy = facts.theoretical_occupancy();
  return occupancy > 0.0 ? std::optional<double>(occupancy) : std::nullopt;
}

/// `name` is that of the rule, `limiter` the limiter in words, as the rule's texts and findings have it.
Rule occupancy_rule(std::string_view name, std::string_view limiter, std::string_view remedy,
                    std::optional<Finding> (*check)(const Facts&)) {
  Rule rule;
  rule.info = {
      name,
      fmt::format(
          "theoretical occupancy below 100 % by {}, the grid fills the GPU once, no unit used 80 %, and "
          "warps wait for latencies (memory, shared memory, fixed ones) in at least 30 % of their time",
          limiter),
      "1 - the larger of theoretical occupancy and the use of the busiest unit: time falls at most in "
      "proportion to the warps",
      "CUDA C++ Best Practices Guide, \"Occupancy\"; Nsight Compute Profiling Guide, \"Occupancy\"; V. "
      "Volkov, Understanding Latency Hiding on GPUs (2016), chapter 4",
      remedy,
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

constexpr const char* kBlockSize = "the size of blocks";
constexpr const char* kBlocks = "the number of blocks an SM takes";
constexpr const char* kRegisters = "registers";
constexpr const char* kSharedMemory = "shared memory";

}  // namespace

Rule occupancy_by_block_size_rule() {
  return occupancy_rule(
      "occupancy_by_block_size", kBlockSize,
      "A block size whose warps divide those of an SM (64 or 48, Turing 32): 128, 256 or 512 threads.",
      [](const Facts& facts) { return low_occupancy_finding(facts, OccupancyLimiter::kWarps, kBlockSize); });
}

Rule occupancy_by_blocks_rule() {
  return occupancy_rule(
      "occupancy_by_blocks", kBlocks,
      "Larger blocks: with fewer than 64 threads an SM runs out of places for blocks before it runs out of "
      "those for warps.",
      [](const Facts& facts) { return low_occupancy_finding(facts, OccupancyLimiter::kBlocks, kBlocks); });
}

Rule occupancy_by_registers_rule() {
  return occupancy_rule(
      "occupancy_by_registers", kRegisters,
      "Fewer registers a thread: smaller tiles a thread, less unrolling, __launch_bounds__ with a number of "
      "blocks; or smaller blocks, where a part of a block would still fit.",
      [](const Facts& facts) {
        return low_occupancy_finding(facts, OccupancyLimiter::kRegisters, kRegisters);
      });
}

Rule occupancy_by_shared_memory_rule() {
  return occupancy_rule(
      "occupancy_by_shared_memory", kSharedMemory,
      "Smaller tiles or fewer stages in shared memory, narrower types; or larger blocks that share one tile.",
      [](const Facts& facts) {
        return low_occupancy_finding(facts, OccupancyLimiter::kSharedMemory, kSharedMemory);
      });
}

}  // namespace warptune::profiling::diagnosis::rules
