#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check(const Facts& facts) {
  UnitUse maximum;
  for (const Unit unit : {Unit::kIssueSlots, Unit::kFma, Unit::kAlu, Unit::kTensor}) {
    if (facts.use(unit).value_or(0.0) > maximum.use) maximum = {unit, *facts.use(unit)};
  }
  if (maximum.use < kReached) return std::nullopt;
  return found(Severity::kLimit, fmt::format("Computing is the limit: {}", use_text(maximum)),
               1.0 - maximum.use, "the distance to its peak", {evidence_of(maximum)});
}

}  // namespace

Rule compute_bound_rule() {
  Rule rule;
  rule.info = {"compute_bound",
               "issue slots, the FMA pipe, the integer pipe or the tensor cores are used at least 80 %",
               "1 - that use",
               "Nsight Compute Profiling Guide, \"Compute Workload Analysis\"",
               "Use fewer instructions for the same result: wider loads, fused multiply-adds, cheaper "
               "address arithmetic, tensor cores.",
               "Pipes whose counters are missing are not considered."};
  rule.needs = {metric::kIssueSlots};
  rule.reads = {metric::kFmaPipe, metric::kAluPipe, metric::kTensorPipe};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
