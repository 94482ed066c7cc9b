#include "profiling/diagnosis/uncoalesced_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::diagnosis {

namespace {

// The number of sectors of the widest access: 32 lanes of 16 bytes are 512 bytes.
constexpr double kMaxForFullLanes = 16.0;

// Returns the share of the surplus in the time of sectors. Other accesses may come before and after these, or
// run beside them. The larger share of the two cases counts.
double surplus_share(const Facts& facts, const GlobalAccess& access, double needed) {
  const double these = facts.value(access.sectors);
  double others = -these;
  for (const char* sectors : {metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                              metric::kLocalLoadSectors, metric::kLocalStoreSectors})
    others += facts.value(sectors);
  if (these <= 0.0) return 1.0 - needed;
  const double in_turn = these * (1.0 - needed) / (these + others);
  const double beside = 1.0 - std::max(these * needed, others) / std::max(these, others);
  return std::max(in_turn, beside);
}

}  // namespace

std::optional<Finding> uncoalesced_finding(const Facts& facts, const GlobalAccess& access) {
  const double sectors = facts.value(access.sectors_per_request);
  const std::optional<double> bytes = facts.find(access.bytes_of_sector);
  const double needed = bytes ? std::max(1.0, sectors * std::min(*bytes, 100.0) / 100.0) : kMaxForFullLanes;
  if (sectors <= needed) return std::nullopt;
  std::string title = fmt::format("{} touch {:.1f} sectors per request, where {:.1f} would suffice",
                                  access.name, sectors, needed);
  const double waste = surplus_share(facts, access, needed / sectors) * facts.memory_share();
  Finding finding = found(Severity::kFault, std::move(title), facts.bounded(waste, kMemoryUnits),
                          "the share of the busiest memory unit's time that moves surplus sectors",
                          {evidence_of(facts, access.sectors_per_request, needed)});
  if (bytes) finding.evidence.push_back(evidence_of(facts, access.bytes_of_sector, 100.0));
  return finding;
}

std::vector<std::string_view> uncoalesced_reads(const GlobalAccess& access) {
  return {access.bytes_of_sector,
          metric::kGlobalLoadSectors,
          metric::kGlobalStoreSectors,
          metric::kLocalLoadSectors,
          metric::kLocalStoreSectors,
          metric::kL1Throughput,
          metric::kL2Throughput,
          metric::kDramThroughput,
          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"};
}

}  // namespace warptune::profiling::diagnosis
