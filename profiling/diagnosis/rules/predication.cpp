#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// In short kernels, loop ends and bounds checks alone switch off a tenth of the threads or more.
constexpr double kMostlyOn = 0.75;

std::optional<Finding> check_predication(const Facts& facts) {
  if (facts.value(metric::kActiveThreads) == 0.0)
    return std::nullopt;  // Only copies: no instructions were executed.
  const double share =
      facts.value(metric::kActivePredicatedOn) / std::max(1.0, facts.value(metric::kActiveThreads));
  if (share > kMostlyOn) return std::nullopt;
  return found(
      Severity::kFault,
      fmt::format("Predicates switch {:.0f} % of the active threads off", (1.0 - share) * 100.0),
      facts.bounded(1.0 - share, kComputeUnits), "threads switched off as a share of the active threads",
      {evidence_of(facts, metric::kActivePredicatedOn, kMostlyOn * facts.value(metric::kActiveThreads)),
       evidence_of(facts, metric::kActiveThreads)});
}

std::optional<double> target_of_predication(const Facts& facts) {
  return facts.find(metric::kActivePredicatedOn);
}

}  // namespace

Rule predication_rule() {
  Rule rule;
  rule.info = {
      .id = "predication",
      .trigger = "predicates switch off at least a quarter of the active threads",
      .gain = "(1 - threads not switched off / active threads) bounded by the busiest memory unit",
      .source = "Nsight Compute Profiling Guide, \"Source Counters\" (predicated-on threads)",
      .remedy =
          "Move conditions out of inner loops, peel off the first and last iterations, let whole warps "
          "decide.",
      .limits = "Short branches become predicates, which cost less than a jump. So a small share is normal.",
  };
  rule.needs = {metric::kActivePredicatedOn, metric::kActiveThreads};
  rule.relieves = kComputeUnits;
  rule.check = check_predication;
  rule.target = {.label = "threads not switched off", .value = target_of_predication, .raise = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
