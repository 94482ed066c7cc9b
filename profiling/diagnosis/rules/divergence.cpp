#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// A tenth below all lanes. Bounds checks at edges and the last steps of reductions make fewer lanes inactive.
constexpr double kMostlyTogether = 0.9;

std::optional<Finding> check_divergence(const Facts& facts) {
  const double active = facts.value(metric::kActiveThreads);
  const double lanes = facts.lanes_in_use();
  if (active > kMostlyTogether * lanes) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Only {:.1f} of {:.0f} lanes are active in an instruction", active, lanes),
               facts.bounded((1.0 - active / lanes) * facts.compute_share(), kComputeUnits),
               "inactive lanes as a share of the lanes in use, while computing may be the limit",
               {evidence_of(facts, metric::kActiveThreads, kMostlyTogether * lanes)});
}

std::optional<double> target_of_divergence(const Facts& facts) { return facts.find(metric::kActiveThreads); }

}  // namespace

Rule divergence_rule() {
  Rule rule;
  rule.info = {
      .id = "divergence",
      .trigger =
          "active threads per instruction are at least a tenth below the lanes in use. Lanes in use are the "
          "average number of threads in a warp of the block",
      .gain =
          "(1 - active threads / lanes in use) x computing time, bounded by the busiest memory unit. "
          "Computing time is the share of time in which warps do not wait for global memory. It is the use "
          "of the busiest unit that computes instead, if that is larger and at least 60 %",
      .source =
          "CUDA C++ Best Practices Guide, \"Branching and Divergence\"; Nsight Compute Profiling Guide, "
          "\"Source Counters\"",
      .remedy =
          "Let the lanes of a warp take the same branches. Sort or bin the work, decide per warp instead of "
          "per thread, replace branches by arithmetic, retire idle lanes together.",
      .limits = "Shows the share of lanes that was off, but not in which branch: see profile --source.",
  };
  rule.needs = {metric::kActiveThreads, metric::kLaunch};
  rule.relieves = kComputeUnits;
  rule.check = check_divergence;
  rule.target = {.label = "active threads", .value = target_of_divergence, .raise = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
