#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr const char* kFetchStalls =
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio";
constexpr const char* kMisses = "sm__icc_requests_lookup_miss.sum";
constexpr double kMinFetchShare = 0.15;
// A loop that fits into the cache has no misses after its first iteration. Code that does not fit misses its
// lines of eight instructions in each iteration, but a line that one warp has fetched serves other warps,
// too.
constexpr double kMinMissesPerInstruction = 0.001;

std::optional<Finding> check_instruction_cache(const Facts& facts) {
  const double share = facts.stall_share("no_instruction").value_or(0.0);
  if (share < kMinFetchShare || facts.busiest().steady >= kReached) return std::nullopt;
  const double misses = facts.value(kMisses) / std::max(1.0, facts.value(metric::kInstructions));
  if (misses < kMinMissesPerInstruction) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Warps wait for instructions {:.0f} % of their time", share * 100.0),
               facts.bounded(share, {}), "the warps' time without an instruction",
               {{"no_instruction_stall_share", share, kMinFetchShare,
                 fmt::format("without an instruction {:.0f} % of the warps' time", share * 100.0)},
                {"instruction_cache_misses_per_instruction", misses, kMinMissesPerInstruction,
                 fmt::format("{:.3f} instruction cache misses per instruction", misses)}});
}

std::optional<double> target_of_instruction_cache(const Facts& facts) {
  return facts.stall_share("no_instruction");
}

}  // namespace

Rule instruction_cache_rule() {
  Rule rule;
  rule.info = {
      .id = "instruction_cache",
      .trigger =
          "warps wait for instructions in at least 15 % of their time, and every unit is used less than 80 "
          "%. The instruction cache misses at least once in 1000 instructions",
      .gain = "the share of the warps' time without an instruction, bounded by the busiest unit",
      .source = "Nsight Compute Profiling Guide, \"Warp State Statistics\" (no instruction)",
      .remedy =
          "Make the code smaller: unroll less, inline fewer copies, turn long repeated parts into loops.",
      .limits =
          "A kernel with few warps also waits for instructions, but without misses. This rule does not "
          "report it.",
  };
  rule.needs = {kFetchStalls, kMisses, metric::kInstructions, metric::kAchievedOccupancy,
                metric::kIssueSlots};
  rule.causes = {"launch_bound"};
  rule.check = check_instruction_cache;
  rule.target = {.label = "waiting for instructions", .value = target_of_instruction_cache, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
