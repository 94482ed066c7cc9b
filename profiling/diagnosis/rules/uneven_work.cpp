#include "profiling/diagnosis/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// Returns the occupancy that blocks of equal duration would reach, as a share of the theoretical one. It is
// below 1 if the last wave is partly empty.
double full_share(const Facts& facts) {
  const double waves = facts.waves().value_or(0.0);
  return waves >= 1.0 ? waves / std::ceil(waves) : 1.0;
}

std::optional<Finding> check_uneven_work(const Facts& facts) {
  const double theoretical = facts.theoretical_occupancy();
  if (theoretical <= 0.0 || facts.waves() < 1.0) return std::nullopt;
  const double ratio = facts.value(metric::kAchievedOccupancy) / 100.0 / theoretical / full_share(facts);
  const UnitUse busiest = facts.busiest();
  if (ratio > kKeptOccupancy || busiest.steady >= kReached || starts_blocks_all_the_time(facts))
    return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Achieved occupancy is {:.0f} %, although {:.0f} % would fit",
                           facts.value(metric::kAchievedOccupancy), theoretical * 100.0),
               std::min(facts.bounded(1.0 - ratio, kComputeUnits), 1.0 - facts.issue_share_of_launch()),
               "assumes that the time falls in proportion to the missing warps",
               {evidence_of(facts, metric::kAchievedOccupancy,
                            kKeptOccupancy * theoretical * full_share(facts) * 100.0),
                evidence_of(busiest)});
}

std::optional<double> target_of_uneven_work(const Facts& facts) {
  const std::optional<double> achieved = facts.find(metric::kAchievedOccupancy);
  return achieved ? std::optional<double>(*achieved / 100.0) : std::nullopt;
}

}  // namespace

Rule uneven_work_rule() {
  Rule rule;
  rule.info = {
      .id = "uneven_work",
      .trigger =
          "the grid fills the GPU, but the achieved occupancy is at least a fifth below the even occupancy. "
          "That is what blocks of equal duration would reach: the theoretical occupancy, less the empty part "
          "of the last wave. Every unit is used less than 80 %",
      .gain =
          "1 - the largest of three shares: achieved occupancy / even occupancy, the use of the busiest "
          "memory unit, instructions / issue slots",
      .source = "Nsight Compute Profiling Guide, \"Occupancy\" (theoretical against achieved)",
      .remedy =
          "Balance the work of warps and blocks: split long items, hand out small pieces by a counter, start "
          "with the longest. Use smaller blocks, so that a slow warp keeps fewer resources of the SM.",
      .limits = "Very short blocks show the same symptom, and short_blocks reports them.",
  };
  rule.needs = {metric::kAchievedOccupancy, metric::kLaunch};
  rule.reads = {metric::kInstructions};
  rule.causes = {"tail", "launch_bound", "small_grid"};
  rule.check = check_uneven_work;
  rule.target = {
      .label = "achieved occupancy", .value = target_of_uneven_work, .raise = true, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
