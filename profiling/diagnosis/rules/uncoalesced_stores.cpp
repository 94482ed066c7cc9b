#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::detail {

namespace {

constexpr const char* kSectors = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio";
constexpr const char* kBytesOfSector = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct";
// 32 lanes of 16 bytes, the widest access: 512 bytes.
constexpr double kMostForFullLanes = 16.0;

// Of the time that sectors take: whether those of other accesses go before and after these, or beside them.
double surplus_share(const Facts& facts, double needed) {
  double others = -facts.value(metric::kGlobalStoreSectors);
  for (const char* sectors : {metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                              metric::kLocalLoadSectors, metric::kLocalStoreSectors})
    others += facts.value(sectors);
  const double these = facts.value(metric::kGlobalStoreSectors);
  if (these <= 0.0) return 1.0 - needed;
  const double in_turn = these * (1.0 - needed) / (these + others);
  const double beside = 1.0 - std::max(these * needed, others) / std::max(these, others);
  return std::max(in_turn, beside);
}

std::optional<Finding> check(const Facts& facts) {
  const double sectors = facts.value(kSectors);
  const std::optional<double> bytes = facts.find(kBytesOfSector);
  const double needed = bytes ? std::max(1.0, sectors * std::min(*bytes, 100.0) / 100.0) : kMostForFullLanes;
  if (sectors <= needed) return std::nullopt;
  std::string title =
      fmt::format("Global stores touch {:.1f} sectors a request where {:.1f} would do", sectors, needed);
  Finding finding =
      found(Severity::kFault, std::move(title),
            facts.bounded(surplus_share(facts, needed / sectors) * facts.memory_share(), kMemoryUnits),
            "the part of the busiest memory unit's time that moves sectors nobody asked for",
            {evidence_of(facts, kSectors, needed)});
  if (bytes) finding.evidence.push_back(evidence_of(facts, kBytesOfSector, 100.0));
  return finding;
}

std::optional<double> target(const Facts& facts) { return facts.find(kSectors); }

}  // namespace

Rule uncoalesced_stores_rule() {
  Rule rule;
  rule.info = {"uncoalesced_stores",
               "a global store of a warp touches more 32-byte sectors than its bytes fill",
               "share of the sectors that nobody asked for, of all in L1 (or of these alone where other "
               "accesses go beside them) x the larger of the use of the busiest memory unit and the time of "
               "warps waiting for memory; bounded by the busiest unit that computes",
               "CUDA C++ Best Practices Guide, \"Coalesced Access to Global Memory\"; Nsight Compute "
               "Profiling Guide, \"Memory Tables\"",
               "Let neighbouring lanes store neighbouring addresses: swap the roles of indices, lay records "
               "out as structures of arrays, align rows to 32 bytes, or go through shared memory.",
               "Bytes used of each sector tell the sectors needed; where that counter is missing, only more "
               "than 16 sectors (more than 16-byte accesses of all lanes need) count as a fault. L2 may "
               "merge stores to one sector."};
  rule.needs = {kSectors};
  rule.reads = {kBytesOfSector,
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
                "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"};
  rule.check = check;
  rule.target = {"sectors a store", target, false, false};
  return rule;
}

}  // namespace warptune::profiling::detail
