#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_compute_bound(const Facts& facts) {
  UnitUse maximum;
  for (const Unit unit : {Unit::kIssueSlots, Unit::kFma, Unit::kAlu, Unit::kXu, Unit::kTensor}) {
    const std::optional<UnitUse> known = facts.unit(unit);
    if (known && known->steady > maximum.steady) maximum = *known;
  }
  if (maximum.steady < kReached) return std::nullopt;
  Finding finding = found(Severity::kLimit, fmt::format("Computing is the limit: {}", use_text(maximum)),
                          1.0 - maximum.use, "the distance to its peak", {evidence_of(maximum)});
  // The remedy of the rule recommends tensor cores. Narrower types are not recommended here, because the
  // problem prescribes the types.
  if (maximum.unit == Unit::kTensor)
    finding.remedy = "The tensor cores are busy. Only a higher clock or fewer operations make this faster.";
  return finding;
}

}  // namespace

Rule compute_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "compute_bound",
      .trigger =
          "issue slots, the FMA pipe, the integer pipe, the special function pipe or the tensor cores are "
          "used at least 80 %. In a short launch, only the time between its start and its end counts",
      .gain = "1 - use of the busiest of these units",
      .source = "Nsight Compute Profiling Guide, \"Compute Workload Analysis\"",
      .remedy =
          "Use fewer instructions for the same result: fused multiply-adds, cheaper address arithmetic. Use "
          "wider loads where a lane loads less than 16 bytes. Use tensor cores for products of matrices "
          "if tensor cores support the precision that the problem needs.",
      .limits = "Pipes whose counters are missing are not considered.",
  };
  rule.needs = {metric::kIssueSlots};
  rule.reads = {metric::kFmaPipe, metric::kAluPipe, metric::kXuPipe, metric::kTensorPipe};
  rule.check = check_compute_bound;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
