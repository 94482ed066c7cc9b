#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// A quarter more than the minimum. Write-backs of earlier data and partly used lines at edges cause less.
constexpr double kExcess = 1.25;

std::optional<Finding> check_excess_dram_traffic(const Facts& facts) {
  const double ratio = facts.value(metric::kDramBytes) / facts.input().work.bytes;
  const UnitUse memory = facts.unit(Unit::kDeviceMemory).value_or(UnitUse{});
  const double use = memory.use;
  if (ratio < kExcess || memory.steady < kNotTheLimit) return std::nullopt;
  return found(Severity::kFault,
               fmt::format("Device memory moves {:.1f} times the bytes that must move", ratio),
               facts.bounded((1.0 - 1.0 / ratio) * use, kMemoryUnits),
               "the part of the memory's busy time that moves surplus bytes",
               {{"dram_bytes_over_minimum", ratio, kExcess, fmt::format("{:.2f} times the minimum", ratio)},
                evidence_of(facts, metric::kDramBytes)});
}

std::optional<double> target_of_excess_dram_traffic(const Facts& facts) {
  const std::optional<double> bytes = facts.find(metric::kDramBytes);
  if (!bytes || facts.input().work.bytes <= 0.0) return std::nullopt;
  return *bytes / facts.input().work.bytes;
}

}  // namespace

Rule excess_dram_traffic_rule() {
  Rule rule;
  rule.info = {
      .id = "excess_dram_traffic",
      .trigger = "device memory moved at least 1.25 times the bytes of [work], and is used at least 60 %",
      .gain = "(1 - bytes of [work] / DRAM bytes) x use of device memory, bounded by the busiest other unit",
      .source =
          "Nsight Compute Profiling Guide, \"Memory Workload Analysis\"; CUDA C++ Best Practices Guide, "
          "\"Device Memory Accesses\"",
      .remedy =
          "Use all bytes of each sector that is read. Visit data in an order that finds it in L2 again "
          "(tiles, swizzled block order). Keep it in shared memory or registers between uses.",
      .limits =
          "Assumes that the bytes of [work] are the true minimum. Written lines that are still in L2 at the "
          "end of the launch are not counted.",
  };
  rule.needs = {metric::kDramBytes, metric::kMinBytes};
  rule.reads = {metric::kDramThroughput};
  rule.causes = {"uncoalesced_loads", "uncoalesced_stores", "register_spills", "local_array"};
  rule.relieves = kMemoryUnits;
  rule.check = check_excess_dram_traffic;
  rule.target = {.label = "DRAM bytes over the minimum", .value = target_of_excess_dram_traffic};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
