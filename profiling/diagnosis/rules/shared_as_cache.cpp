#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr const char* kHits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
constexpr double kMinHitRate = 0.8;
constexpr double kMinStoresPerLoad = 0.5;
// To keep a value in shared memory costs a store and a barrier. If L1 holds the value anyway, this cost is
// recovered only if the value is read more than about four times.
constexpr double kMaxLoadsPerStore = 4.0;

std::optional<Finding> check_shared_as_cache(const Facts& facts) {
  const double stores = facts.value(metric::kSharedStores);
  const double loads = facts.value(metric::kGlobalLoads);
  const double sectors = facts.value(metric::kGlobalLoadSectors);
  if (stores <= 0.0 || loads <= 0.0 || sectors <= 0.0) return std::nullopt;
  const double hits = facts.value(kHits) / sectors;
  const double reuse = facts.value(metric::kSharedLoads) / stores;
  if (hits < kMinHitRate || stores < kMinStoresPerLoad * loads || reuse > kMaxLoadsPerStore)
    return std::nullopt;
  const double all = loads + stores + facts.value(metric::kSharedLoads);
  const double staged = std::min(1.0, (std::min(stores, loads) + stores) / all);
  const double waste =
      staged * facts.use(Unit::kL1).value_or(0.0) + facts.stall_share("barrier").value_or(0.0);
  return found(Severity::kFault,
               fmt::format("Shared memory does L1's job: {:.0f} % of the loads that fill it hit L1, each "
                           "value is read {:.1f} times",
                           hits * 100.0, reuse),
               facts.bounded(waste, {Unit::kL1, Unit::kIssueSlots}),
               "the traffic that fills shared memory, and the time at its barriers",
               {{"l1_hit_rate_of_global_loads", hits * 100.0, kMinHitRate * 100.0,
                 fmt::format("L1 hits {:.0f} %", hits * 100.0)},
                {"shared_loads_per_store", reuse, kMaxLoadsPerStore,
                 fmt::format("{:.1f} shared loads for each store", reuse)}});
}

}  // namespace

Rule shared_as_cache_rule() {
  Rule rule;
  rule.info = {
      .id = "shared_as_cache",
      .trigger =
          "shared memory holds values that L1 has anyway: at least 80 % of the sectors of global loads hit "
          "L1. There are at least half as many shared stores as global loads, and at most four shared loads "
          "for each store",
      .gain =
          "(share of shared stores and their global loads in the traffic of L1) x use of L1 + share of the "
          "warps' time at barriers",
      .source =
          "Nsight Compute Profiling Guide, \"Memory Tables\"; CUDA C++ Best Practices Guide, \"Shared "
          "Memory\"",
      .remedy =
          "Read the data directly: L1 holds the data that neighbouring threads and blocks on the same SM "
          "share. Shared memory pays when data is reordered or reused many times.",
      .limits = "A hit shows that the data was in L1, not that it would stay there without the shared copy.",
  };
  rule.needs = {kHits, metric::kGlobalLoadSectors, metric::kGlobalLoads, metric::kSharedLoads,
                metric::kSharedStores};
  rule.reads = {metric::kL1Throughput, "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"};
  rule.check = check_shared_as_cache;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
