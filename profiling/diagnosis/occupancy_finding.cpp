#include "profiling/diagnosis/occupancy_finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::diagnosis {

namespace {

// Stall reasons whose latency more resident warps would hide. More warps do not hide the other reasons
// (throttles, barriers, `not_selected`).
constexpr std::string_view kLatencies[] = {"long_scoreboard", "short_scoreboard", "wait"};
// If these stall reasons take a smaller share of the warps' time, latencies are not the main reason for
// waiting.
constexpr double kMostlyLatency = 0.3;

// Returns the share of the warps' time that these reasons take. Returns std::nullopt when it is unknown.
std::optional<double> latency_share(const Facts& facts) {
  double share = 0.0;
  for (const std::string_view reason : kLatencies) {
    const std::optional<double> of_reason = facts.stall_share(reason);
    if (!of_reason) return std::nullopt;
    share += *of_reason;
  }
  return share;
}

}  // namespace

std::optional<Finding> low_occupancy_finding(const Facts& facts, OccupancyLimiter limiter,
                                             std::string_view limiter_text) {
  const auto& limiters = facts.limits().limiters;
  const double occupancy = facts.theoretical_occupancy();
  const UnitUse busiest = facts.busiest();
  // If several limiters are equal, only the rule of the first reports. If the grid is smaller than one wave
  // of blocks, the rule small_grid reports that. In a short launch, warps wait because the launch starts and
  // ends.
  if (limiters.empty() || limiters.front() != limiter || occupancy <= 0.0 || occupancy >= 1.0)
    return std::nullopt;
  if (facts.waves() < 1.0 || busiest.steady >= kReached || facts.is_short()) return std::nullopt;
  const std::optional<double> waiting = latency_share(facts);
  if (waiting && *waiting < kMostlyLatency) return std::nullopt;
  Finding finding = found(waiting ? Severity::kFault : Severity::kHint,
                          fmt::format("Occupancy is limited to {:.0f} % by {}{}", occupancy * 100.0,
                                      limiter_text, limiters.size() > 1 ? " (and by others equally)" : ""),
                          facts.bounded(1.0 - occupancy, {}),
                          "assumes that more warps shorten the time, until the busiest unit is full",
                          {{"theoretical_occupancy", occupancy * 100.0, 100.0,
                            fmt::format("theoretical occupancy {:.0f} %", occupancy * 100.0)},
                           evidence_of(busiest)});
  const model::ResourceUse& use = facts.resources();
  finding.evidence.push_back(
      {"blocks_per_sm", static_cast<double>(facts.blocks_per_sm()), std::nullopt,
       fmt::format("{} blocks of {} threads per SM, {} registers per thread, {} shared bytes per block",
                   facts.blocks_per_sm(), use.threads_per_block, use.registers_per_thread,
                   use.static_shared_bytes + use.dynamic_shared_bytes)});
  return finding;
}

}  // namespace warptune::profiling::diagnosis
