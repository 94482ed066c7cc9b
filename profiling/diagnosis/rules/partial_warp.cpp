#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_partial_warp(const Facts& facts) {
  const double idle = 1.0 - facts.lanes_in_use() / 32.0;
  if (idle <= 0.0) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Blocks of {} threads leave {:.0f} % of their warps' lanes idle",
                           facts.resources().threads_per_block, idle * 100.0),
               facts.bounded(idle, kComputeUnits), "idle lanes as a share of all lanes",
               {{"threads_per_block", static_cast<double>(facts.resources().threads_per_block), std::nullopt,
                 fmt::format("{} threads per block", facts.resources().threads_per_block)}});
}

std::optional<double> target_of_partial_warp(const Facts& facts) {
  return facts.resources().threads_per_block > 0 ? std::optional<double>(facts.lanes_in_use()) : std::nullopt;
}

}  // namespace

Rule partial_warp_rule() {
  Rule rule;
  rule.info = {
      .id = "partial_warp",
      .trigger = "the number of threads in a block is not a multiple of 32",
      .gain = "idle lanes / 32, bounded by the busiest memory unit",
      .source =
          "CUDA C++ Programming Guide, \"SIMT Architecture\"; CUDA C++ Best Practices Guide, \"Thread and "
          "Block Heuristics\"",
      .remedy = "Use block sizes that are multiples of 32.",
      .limits = "",
  };
  rule.needs = {metric::kLaunch};
  rule.relieves = kComputeUnits;
  rule.check = check_partial_warp;
  rule.target = {.label = "lanes in use", .value = target_of_partial_warp, .raise = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
