#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kMinLatencyShare = 0.3;
// The latency of a load. On an H200 a chain of dependent loads takes 430 to 480 ns per load. The number is
// used only in the text.
constexpr double kMemoryLatencyNs = 450.0;
// If each of 32 lanes loads 16 bytes, a load has 16 sectors. Loads at edges may have fewer.
constexpr double kSectorsOfFullWidth = 15.0;

std::optional<Finding> check_latency_bound(const Facts& facts) {
  if (facts.value(metric::kIssueSlots) <= 0.0) return std::nullopt;  // No warp ran: the host only copied.
  const UnitUse busiest = facts.busiest();
  const std::optional<double> waiting = facts.stall_share("long_scoreboard");
  // Without the stall counters the rule requires that all units are used clearly less than their limits.
  if (busiest.steady >= (waiting ? kReached : kNotTheLimit)) return std::nullopt;
  if (waiting && *waiting < kMinLatencyShare) return std::nullopt;
  // Wider loads also need fewer instructions, so issue slots do not limit the gain.
  const double sectors = facts.value(metric::kSectorsPerLoad);
  const bool can_widen = sectors > 0.0 && sectors < kSectorsOfFullWidth / 2.0;
  const double possible = can_widen ? facts.bounded(1.0, {Unit::kIssueSlots}) : facts.bounded(1.0, {});
  const double gain = possible - facts.ramp_share();
  if (gain < kHintGain) return std::nullopt;
  const bool is_certain = waiting && busiest.steady < kNotTheLimit && !facts.is_short();
  const double rate = facts.value(metric::kDramBytes) / facts.time_ns();  // In bytes per ns.
  const double in_flight = rate * kMemoryLatencyNs / facts.input().gpu.sm_count / 1024.0;
  const double needed = static_cast<double>(facts.input().gpu.memory_bandwidth_bytes_per_s) * 1e-9 *
                        kMemoryLatencyNs / facts.input().gpu.sm_count / 1024.0;
  Finding finding =
      found(is_certain ? Severity::kFault : Severity::kHint,
            fmt::format("Warps wait for memory, and no unit is full: {}", use_text(busiest)), gain,
            "assumes that the busiest unit could be full between the start and the end of the launch",
            {evidence_of(busiest),
             evidence_of(facts, metric::kIssueSlots, kNotTheLimit * 100.0),
             {"dram_bytes_in_flight_per_sm", in_flight * 1024.0, needed * 1024.0,
              fmt::format("about {:.1f} KiB of device memory in flight per SM, {:.1f} KiB would fill it",
                          in_flight, needed)}});
  if (waiting)
    finding.evidence.push_back(
        {counters::stall_metric("long_scoreboard"), *waiting * 100.0, kMinLatencyShare * 100.0,
         fmt::format("waiting for memory {:.0f} % of the warps' time", *waiting * 100.0)});
  if (sectors >= kSectorsOfFullWidth)
    finding.remedy =
        "Have more loads in flight: several independent loads per thread before the first is used, or more "
        "resident warps. The loads already have 16 bytes per lane.";
  return finding;
}

std::optional<double> target_of_latency_bound(const Facts& facts) {
  const std::optional<double> issued = facts.find(metric::kIssueSlots);
  return issued ? std::optional<double>(*issued / 100.0) : std::nullopt;
}

}  // namespace

Rule latency_bound_rule() {
  Rule rule;
  rule.info = {
      .id = "latency_bound",
      .trigger =
          "every unit (including issue slots) is used less than 80 %, and warps wait for memory in at least "
          "30 % of their time. If a unit is used at least 60 %, it is a hint. It is also a hint for a launch"
          " whose start and end take a fifth of its time. A host program without a kernel has no warps, and "
          "so no"
          " such finding",
      .gain =
          "1 - use of the busiest unit - share of the launch's start and end. If lanes load less than 8 "
          "bytes, issue slots do not count as a unit, because wider loads need fewer of them",
      .source =
          "Little's law; V. Volkov, Understanding Latency Hiding on GPUs (2016); Nsight Compute Profiling "
          "Guide, \"Warp State Statistics\"",
      .remedy =
          "Have more loads in flight: several independent loads per thread before the first is used, or more "
          "resident warps. Unrolling, vectors of 2 or 4, and cp.async with more stages do this.",
      .limits =
          "Dependent accesses (lists, trees) cannot overlap. Without the stall counters this is only a hint, "
          "for a use below 60 %.",
  };
  rule.needs = {metric::kIssueSlots, metric::kDramBytes};
  rule.reads = {metric::kAchievedOccupancy, metric::kSectorsPerLoad, metric::kL1Throughput,
                metric::kL2Throughput,
                "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"};
  rule.causes = {"occupancy_by_registers",
                 "occupancy_by_shared_memory",
                 "occupancy_by_block_size",
                 "occupancy_by_blocks",
                 "small_grid",
                 "launch_bound",
                 "register_spills",
                 "local_array",
                 "uncoalesced_loads",
                 "uncoalesced_stores",
                 "tail",
                 "uneven_work",
                 "short_blocks",
                 "barrier_stalls",
                 "atomic_contention",
                 "shared_as_cache"};
  rule.check = check_latency_bound;
  rule.target = {
      .label = "issue slots used", .value = target_of_latency_bound, .raise = true, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
