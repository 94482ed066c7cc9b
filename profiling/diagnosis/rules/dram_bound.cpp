#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// Most kernels leave some written lines in L2. The title names them only from this share of the bytes on.
constexpr double kMinNamedShare = 0.1;

std::optional<Finding> check_dram_bound(const Facts& facts) {
  const std::optional<UnitUse> memory = facts.unit(Unit::kDeviceMemory);
  if (!memory || memory->steady < kReached) return std::nullopt;
  const double deferred = facts.deferred_bytes();
  const double rate = (facts.value(metric::kDramBytes) + deferred) / facts.time_ns();  // In GB/s.
  const double share = memory->use * 100.0;
  std::string title = fmt::format("Device memory is at {:.0f} % of its roof ({:.0f} GB/s", share, rate);
  if (deferred >= kMinNamedShare * facts.time_ns() * rate)
    title += fmt::format(", of which {:.0f} GB/s leave L2 after the launch", deferred / facts.time_ns());
  title += ")";
  Finding finding =
      found(Severity::kLimit, std::move(title), 1.0 - memory->use, "the distance to the roof",
            {{"dram_roof_share", memory->use, kReached, fmt::format("{:.0f} % of the roof", share)},
             evidence_of(facts, metric::kDramBytes)});
  if (memory->use < kReached) finding.evidence.push_back(evidence_of(*memory));
  return finding;
}

}  // namespace

Rule dram_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "dram_bound",
      .trigger =
          "device memory moves at least 80 % of its measured roof, or of its peak if no roof was measured. "
          "Bytes that had to be written and were still in L2 at the end of the launch count, too. In a "
          "short launch, only the time between its start and its end counts",
      .gain = "1 - share of the roof",
      .source =
          "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"; docs/measuring.md (the roof depends "
          "on the share of the bytes that is written)",
      .remedy =
          "Move fewer bytes: keep intermediate results on the chip, use narrower types, fuse with the kernel "
          "before or after. Faster code alone gains at most the distance to the roof.",
      .limits = "If the written share of the bytes is unknown, all bytes count as read.",
  };
  rule.needs = {metric::kDramBytes};
  rule.reads = {metric::kDramThroughput, metric::kDramBytesRead, metric::kDramBytesWritten};
  rule.check = check_dram_bound;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
