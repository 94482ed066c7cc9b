#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kShown = 0.01;
constexpr double kIntegerPerConversion = 4.0;
// A 32-bit division by a value known only at run time is some 20 instructions, two of them conversions.
constexpr double kInstructionsPerConversion = 10.0;

std::optional<Finding> check(const Facts& facts) {
  const double all = facts.value(metric::kInstructions) * facts.value(metric::kActiveThreads);
  const double conversions = facts.value(metric::kConversions);
  const double integer = facts.value(metric::kIntegerOperations);
  if (all <= 0.0 || conversions < kShown * all || integer < kIntegerPerConversion * conversions)
    return std::nullopt;
  const double share = std::min(1.0, kInstructionsPerConversion * conversions / all);
  const double waste =
      std::max(share * facts.use(Unit::kIssueSlots).value_or(0.0), facts.use(Unit::kXu).value_or(0.0));
  return found(Severity::kFault,
               fmt::format("Integer divisions take about {:.0f} % of the instructions", share * 100.0),
               facts.bounded(waste, kComputeUnits),
               "their share of the issue slots, or of the special function pipe",
               {{"conversions_per_instruction", conversions / all, kShown,
                 fmt::format("{:.1f} % of the instructions convert numbers", conversions / all * 100.0)},
                {"integer_operations_per_instruction", integer / all, std::nullopt,
                 fmt::format("{:.0f} % are integer operations", integer / all * 100.0)}});
}

std::optional<double> target(const Facts& facts) {
  const std::optional<double> use = facts.find(metric::kXuPipe);
  return use ? std::optional<double>(*use / 100.0) : std::nullopt;
}

}  // namespace

Rule integer_division_rule() {
  Rule rule;
  rule.info = {
      "integer_division",
      "conversions as in integer divisions are at least 1 % of the threads' instructions, among at least "
      "four times as many integer operations",
      "10 instructions for each conversion (two a division, which takes about 20) x issue slots used, or the "
      "use of the special function pipe, whichever is more; bounded by the busiest memory unit",
      "CUDA C++ Best Practices Guide, \"Division Modulo Operations\"",
      "Powers of two and shifts, division by constants (a macro or template argument), quotients kept and "
      "stepped instead of computed, multiplication by a reciprocal prepared outside.",
      "Told by its signature: a division converts to float and back. Kernels that convert much and calculate "
      "indices besides look alike."};
  rule.needs = {metric::kConversions, metric::kIntegerOperations, metric::kInstructions,
                metric::kActiveThreads};
  rule.reads = {metric::kIssueSlots, metric::kXuPipe};
  rule.check = check;
  rule.target = {"special function pipe used", target, false, true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
