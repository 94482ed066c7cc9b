#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kMinConversionShare = 0.01;
// A 32-bit division by a value that is known only at run time takes about 20 instructions: two conversions, a
// reciprocal, and integer operations. Code that only converts data has fewer integer operations per
// conversion.
constexpr double kIntegerPerConversion = 6.0;
constexpr double kInstructionsPerConversion = 10.0;

std::optional<Finding> check_integer_division(const Facts& facts) {
  const double all = facts.value(metric::kInstructions) * facts.value(metric::kActiveThreads);
  const double conversions = facts.value(metric::kConversions);
  const double integer = facts.value(metric::kIntegerOperations);
  if (all <= 0.0 || conversions < kMinConversionShare * all || integer < kIntegerPerConversion * conversions)
    return std::nullopt;
  const double share = std::min(1.0, kInstructionsPerConversion * conversions / all);
  const double waste =
      std::max(share * facts.use(Unit::kIssueSlots).value_or(0.0), facts.use(Unit::kXu).value_or(0.0));
  return found(Severity::kFault,
               fmt::format("Integer divisions take about {:.0f} % of the instructions", share * 100.0),
               facts.bounded(waste, kComputeUnits),
               "their share of the issue slots, or of the special function pipe",
               {{"conversions_per_instruction", conversions / all, kMinConversionShare,
                 fmt::format("{:.1f} % of the instructions convert numbers", conversions / all * 100.0)},
                {"integer_operations_per_instruction", integer / all, std::nullopt,
                 fmt::format("{:.0f} % are integer operations", integer / all * 100.0)}});
}

std::optional<double> target_of_integer_division(const Facts& facts) {
  const std::optional<double> use = facts.find(metric::kXuPipe);
  return use ? std::optional<double>(*use / 100.0) : std::nullopt;
}

}  // namespace

Rule integer_division_rule() {
  Rule rule;
  rule.info = {
      .id = "integer_division",
      .trigger =
          "conversions are at least 1 % of the threads' instructions, and there are at least six integer "
          "operations for each conversion. Both are typical of integer divisions",
      .gain =
          "the larger of two: 10 instructions for each conversion x issue slots used, and the use of the "
          "special function pipe. It is bounded by the busiest memory unit. A division takes about 20 "
          "instructions, two of them conversions",
      .source = "CUDA C++ Best Practices Guide, \"Division Modulo Operations\"",
      .remedy =
          "Use powers of two and shifts, or divide by constants (a macro or template argument). Keep and "
          "step quotients instead of computing them, or multiply by a reciprocal that is computed once.",
      .limits =
          "A division is recognised because it converts to float and back. Kernels with many conversions and "
          "index calculations look the same.",
  };
  rule.needs = {metric::kConversions, metric::kIntegerOperations, metric::kInstructions,
                metric::kActiveThreads};
  rule.reads = {metric::kIssueSlots, metric::kXuPipe};
  rule.relieves = kComputeUnits;
  rule.check = check_integer_division;
  rule.target = {
      .label = "special function pipe used", .value = target_of_integer_division, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
