#include "profiling/diagnosis/uncoalesced_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::diagnosis {

namespace {

// The number of sectors of the widest access: 32 lanes of 16 bytes are 512 bytes.
constexpr double kMaxForFullLanes = 16.0;

// If warps wait at least this share of their time for the queue of loads and stores, the queue is full: then
// accesses that hit L1 also wait for memory.
constexpr double kQueueIsFull = 0.1;
constexpr std::initializer_list<Unit> kCaches = {Unit::kL2, Unit::kL1};
constexpr std::initializer_list<Unit> kBehindL1 = {Unit::kDeviceMemory, Unit::kL2};
constexpr std::initializer_list<Unit> kL2Only = {Unit::kL2};
// If device memory moves at most this many times the bytes that must move, it moves no surplus sectors. The
// 10 % are for lines at the edges of arrays and for written data that stays in L2.
constexpr double kMaxRatioWithoutSurplus = 1.1;

// Returns whether surplus sectors may come from device memory. They do not if neighbouring warps use the same
// sectors and find them in L1 or L2.
bool reach_device_memory(const Facts& facts) {
  const double needed = facts.input().work.bytes;
  const std::optional<double> moved = facts.find(metric::kDramBytes);
  return !moved || needed <= 0.0 || *moved + facts.deferred_bytes() > kMaxRatioWithoutSurplus * needed;
}

// Returns the share of the sectors' time that the surplus takes. `these` are the sectors of the accesses,
// `others` those of all other accesses. The others may run at other times, or at the same time. The larger
// share of these two cases counts.
double share_of(double surplus, double these, double others) {
  if (these + others <= 0.0) return 0.0;
  return std::max(surplus / (these + others),
                  1.0 - std::max(these - surplus, others) / std::max(these, others));
}

// Returns the share of the launch's time that surplus sectors take. `needed` is the share of the sectors that
// would suffice. `reaches_memory` is what `reach_device_memory` returns.
double surplus_time(const Facts& facts, const GlobalAccess& access, double needed, bool reaches_memory) {
  const double these = facts.value(access.sectors);
  const bool is_load = access.hits != nullptr;
  if (these <= 0.0)  // The number of sectors is unknown.
    return (1.0 - needed) * (is_load ? facts.memory_share() : facts.store_share());
  double others = -these;
  for (const char* sectors : {metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                              metric::kLocalLoadSectors, metric::kLocalStoreSectors})
    others += facts.value(sectors);
  const double surplus = these * (1.0 - needed);
  if (facts.stall_share("lg_throttle").value_or(0.0) >= kQueueIsFull)
    return share_of(surplus, these, others) * facts.full_queue_share();
  // Two upper bounds: an SM looks up at least one sector per cycle, and look-ups take no more time than L1 is
  // busy.
  const double l1 = share_of(surplus, these, others) * facts.use(Unit::kL1).value_or(1.0);
  const double looked_up = std::min(facts.share_of_cycles(surplus), l1);
  // Only sectors that miss L1 load the memory behind it. If each needed byte is loaded once, all needed
  // sectors miss.
  const double missed = these - (is_load ? facts.value(access.hits) : 0.0);
  const double surplus_missed = std::clamp(missed - these * needed, 0.0, surplus);
  const std::initializer_list<Unit> behind = reaches_memory ? kBehindL1 : kL2Only;
  const double memory = is_load ? facts.memory_share(behind) : facts.store_share(behind);
  return std::max(looked_up, share_of(surplus_missed, missed, others) * memory);
}

}  // namespace

std::optional<Finding> uncoalesced_finding(const Facts& facts, const GlobalAccess& access) {
  const double sectors = facts.value(access.sectors_per_request);
  std::optional<double> bytes = facts.find(access.bytes_of_sector);
  // The counter of bytes leaves out asynchronous copies. If it is 0, there were only such copies.
  if (sectors > kMaxForFullLanes && bytes == 0.0) bytes.reset();
  const double needed = bytes ? std::max(1.0, sectors * std::min(*bytes, 100.0) / 100.0) : kMaxForFullLanes;
  if (sectors <= needed) return std::nullopt;
  std::string title = fmt::format("{} touch {:.1f} sectors per request, where {:.1f} would suffice",
                                  access.name, sectors, needed);
  const bool reaches_memory = reach_device_memory(facts);
  const double waste = surplus_time(facts, access, needed / sectors, reaches_memory);
  const double gain = facts.bounded(waste, reaches_memory ? kMemoryUnits : kCaches);
  Finding finding = found(Severity::kFault, std::move(title), gain,
                          "the share of the time that L1, or the memory behind it, works on surplus sectors",
                          {evidence_of(facts, access.sectors_per_request, needed)});
  if (bytes) finding.evidence.push_back(evidence_of(facts, access.bytes_of_sector, 100.0));
  return finding;
}

std::vector<std::string_view> metrics_of_uncoalesced_rule(const GlobalAccess& access) {
  return {access.bytes_of_sector,
          metric::kGlobalLoads,
          metric::kGlobalLoadRequests,
          metric::kGlobalLoadHits,
          metric::kGlobalLoadSectors,
          metric::kGlobalStoreSectors,
          metric::kLocalLoadSectors,
          metric::kLocalStoreSectors,
          metric::kL1Throughput,
          metric::kL2Throughput,
          metric::kDramThroughput,
          metric::kDramBytes,
          metric::kDramBytesWritten,
          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"};
}

}  // namespace warptune::profiling::diagnosis
