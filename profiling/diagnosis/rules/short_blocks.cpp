#include "profiling/diagnosis/blocks.h"

#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_short_blocks(const Facts& facts) {
  const double theoretical = facts.theoretical_occupancy();
  const UnitUse busiest = facts.busiest();
  if (theoretical <= 0.0 || !starts_blocks_all_the_time(facts)) return std::nullopt;
  const double ratio = facts.value(metric::kAchievedOccupancy) / 100.0 / theoretical;
  if (ratio > kKeptOccupancy) return std::nullopt;
  const double interval_ns = block_interval_ns(facts);
  return found(
      Severity::kFault, fmt::format("Blocks are so short that an SM starts one every {:.0f} ns", interval_ns),
      facts.bounded(1.0, {}), "assumes that the busiest unit could be full",
      {{"block_interval_ns", interval_ns, kBlockStartNs,
        fmt::format("{} blocks, one every {:.0f} ns on an SM", facts.resources().blocks, interval_ns)},
       evidence_of(facts, metric::kAchievedOccupancy, kKeptOccupancy * theoretical * 100.0),
       evidence_of(busiest)});
}

std::optional<double> target_of_short_blocks(const Facts& facts) {
  if (facts.resources().blocks == 0 || !facts.measurement().time) return std::nullopt;
  return block_interval_ns(facts);
}

}  // namespace

Rule short_blocks_rule() {
  Rule rule;
  rule.info = {
      .id = "short_blocks",
      .trigger =
          "an SM starts a block every 150 ns or more often. Resident warps stay at least a fifth below "
          "theoretical occupancy. If a unit is used at least 80 %, it is a hint",
      .gain = "1 - use of the busiest unit",
      .source =
          "CUDA C++ Best Practices Guide, \"Thread and Block Heuristics\"; the planted kernel short_blocks",
      .remedy =
          "Do more work per block: several elements per thread, or a loop over the data with as many blocks "
          "as the GPU can hold.",
      .limits =
          "The threshold was measured on an H200, where blocks that copy one element per thread end every 80 "
          "to 105 ns.",
  };
  rule.needs = {metric::kAchievedOccupancy, metric::kLaunch};
  rule.causes = {"launch_bound"};
  rule.relieves = std::vector<Unit>{};
  rule.check = check_short_blocks;
  rule.target = {.label = "ns per block", .value = target_of_short_blocks, .raise = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
