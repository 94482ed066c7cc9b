#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check(const Facts& facts) {
  const std::optional<double> use = facts.use(Unit::kDeviceMemory);
  if (!use || *use < kReached) return std::nullopt;
  const double rate = facts.value(metric::kDramBytes) / facts.time_ns();  // In GB/s.
  return found(Severity::kLimit,
               fmt::format("Device memory is at {:.0f} % of its roof ({:.0f} GB/s)", *use * 100.0, rate),
               1.0 - *use, "the distance to the roof",
               {{"dram_roof_share", *use, kReached, fmt::format("{:.0f} % of the roof", *use * 100.0)},
                evidence_of(facts, metric::kDramBytes)});
}

}  // namespace

Rule dram_bound_rule() {
  Rule rule;
  rule.info = {
      "dram_bound",
      "device memory moves at least 80 % of its measured roof, or of its peak if no roof was measured",
      "1 - share of the roof",
      "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"; docs/measuring.md (the roof depends on "
      "the share of the bytes that is written)",
      "Move fewer bytes: keep intermediate results on the chip, use narrower types, fuse with the kernel "
      "before or after. Faster code alone gains at most the distance to the roof.",
      "If the written share of the bytes is unknown, all bytes count as read."};
  rule.needs = {metric::kDramBytes};
  rule.reads = {metric::kDramThroughput};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
