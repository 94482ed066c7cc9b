#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"
#include "profiling/diagnosis/uncoalesced_access.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr GlobalAccess kAccess = {
    "Global stores", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", metric::kGlobalStoreSectors};

std::optional<Finding> check(const Facts& facts) { return uncoalesced_finding(facts, kAccess); }

std::optional<double> target(const Facts& facts) { return facts.find(kAccess.sectors_per_request); }

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
  rule.needs = {kAccess.sectors_per_request};
  rule.reads = uncoalesced_reads(kAccess);
  rule.check = check;
  rule.target = {"sectors a store", target, false, false};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
