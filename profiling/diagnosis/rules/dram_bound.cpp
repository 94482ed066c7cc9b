#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check(const Facts& facts) {
  const std::optional<double> use = facts.use(Unit::kDeviceMemory);
  if (!use || *use < kReached) return std::nullopt;
  const double rate = facts.value(metric::kDramBytes) / facts.time_ns();  // GB/s.
  return found(Severity::kLimit,
               fmt::format("Device memory is at {:.0f} % of its roof ({:.0f} GB/s)", *use * 100.0, rate),
               1.0 - *use, "what is left to the roof",
               {{"dram_share_of_roof", *use, kReached, fmt::format("{:.0f} % of the roof", *use * 100.0)},
                evidence_of(facts, metric::kDramBytes)});
}

}  // namespace

Rule dram_bound_rule() {
  Rule rule;
  rule.info = {"dram_bound",
               "device memory moves at least 80 % of its measured roof (without one: of its peak)",
               "1 - share of the roof",
               "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"; roof: what reading and copying "
               "reach, by the share of the bytes that is written (docs/measuring.md)",
               "Move fewer bytes: keep intermediate results on the chip, narrower types, fuse with the "
               "kernel before or after. Faster code alone gains no more than what is left to the roof.",
               "Where nobody knows what share is written, all bytes count as read."};
  rule.needs = {metric::kDramBytes};
  rule.reads = {metric::kDramThroughput};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
