#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_small_grid(const Facts& facts) {
  const double per_sm = static_cast<double>(facts.resources().blocks) / facts.input().gpu.sm_count;
  const double waves = facts.waves().value_or(0.0);
  const bool idle_sms = per_sm < 1.0;
  if (!idle_sms && (waves <= 0.0 || waves >= 1.0 || facts.busiest().steady >= kNotTheLimit))
    return std::nullopt;
  // More blocks do not shorten the start and the end of a launch, only the time between.
  const double between = 1.0 - facts.ramp_share();
  const double gain =
      idle_sms ? facts.bounded((1.0 - per_sm) * between, kComputeUnits) : facts.bounded(1.0 - waves, {});
  const bool is_certain = idle_sms || !facts.is_short();
  return found(is_certain ? Severity::kFault : Severity::kHint,
               fmt::format("{} blocks for {} SMs: {}", facts.resources().blocks, facts.input().gpu.sm_count,
                           idle_sms ? "the others are idle"
                                    : fmt::format("{:.0f} % of the blocks that fit at once", waves * 100.0)),
               gain, idle_sms ? "SMs without a block" : "the share of the GPU that stays empty",
               {{"blocks_per_sm_of_grid", per_sm, 1.0, fmt::format("{:.2f} blocks per SM", per_sm)},
                {"waves", waves, 1.0, fmt::format("{:.2f} waves", waves)}});
}

std::optional<double> target_of_small_grid(const Facts& facts) {
  return facts.resources().blocks > 0 ? std::optional<double>(static_cast<double>(facts.resources().blocks))
                                      : std::nullopt;
}

}  // namespace

Rule small_grid_rule() {
  Rule rule;
  rule.info = {
      .id = "small_grid",
      .trigger =
          "there are fewer blocks than SMs, or less than one wave and every unit is used less than 60 %. The "
          "latter is a hint for a launch whose start and end take a fifth of its time",
      .gain =
          "1 - the larger of waves and the use of the busiest unit. If there are fewer blocks than SMs, it "
          "is (1 - blocks / SMs) x the share of the time between start and end",
      .source =
          "CUDA C++ Best Practices Guide, \"Thread and Block Heuristics\"; Nsight Compute Profiling Guide, "
          "\"Launch Statistics\"",
      .remedy =
          "Launch more blocks: smaller tiles, the longest loop split over blocks (with a sum afterwards), "
          "several problems in one launch.",
      .limits = "Counters of active cycles do not include the SMs that had nothing to do.",
  };
  rule.needs = {metric::kLaunch};
  rule.reads = {metric::kIssueSlots};
  rule.causes = {"launch_bound"};
  rule.check = check_small_grid;
  rule.target = {.label = "blocks", .value = target_of_small_grid, .raise = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
