#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"
#include "profiling/diagnosis/uncoalesced_access.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr GlobalAccess kGlobalLoads = {"Global loads", metric::kSectorsPerLoad,
                                       "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                                       metric::kGlobalLoadSectors, metric::kGlobalLoadHits};

}  // namespace

Rule uncoalesced_loads_rule() {
  Rule rule = uncoalesced_rule<kGlobalLoads>();
  rule.info = {
      .id = "uncoalesced_loads",
      .trigger = "the global loads of a warp touch more 32-byte sectors than their bytes fill",
      .gain =
          "the larger of two shares, bounded by the busiest unit that computes. One is the share of cycles "
          "in which L1 looks up surplus sectors. The other is memory time x the share of surplus sectors "
          "among the sectors that miss L1. If the queue of loads and stores is full, all surplus sectors "
          "count. Memory time is the share of time in which warps wait for global memory. It is the use of "
          "L2 or device memory instead, if that is larger and at least 60 %. If device memory moves at most "
          "1.1 times the necessary bytes, no surplus sectors reach it. Then its use is not memory time, and "
          "device memory is one of the units that bound the gain",
      .source = kUncoalescedSource,
      .remedy =
          "Let neighbouring lanes load neighbouring addresses: swap the roles of indices, store records as "
          "structures of arrays, or align rows to 32 bytes. Or go through shared memory. If indices decide "
          "what is loaded, order the data so that neighbouring lanes have near indices.",
      .limits =
          "The used bytes of each sector give the number of needed sectors. If the counter of used bytes is "
          "missing, only more than 16 sectors count as a fault, because no access of a warp needs more. The "
          "counter of used bytes leaves out asynchronous copies (cp.async). With them, the rule is checked "
          "only "
          "where requests have more than 16 sectors on average. Bulk copies are in none of the counters of "
          "this "
          "rule.",
  };
  rule.needs.push_back(metric::kUsedBytesOfLoads);
  rule.target.label = "sectors per load";
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
