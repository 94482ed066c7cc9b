#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"
#include "profiling/diagnosis/uncoalesced_access.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr GlobalAccess kAccess = {
    "Global loads", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", metric::kGlobalLoadSectors};

std::optional<Finding> check(const Facts& facts) { return uncoalesced_finding(facts, kAccess); }

std::optional<double> target(const Facts& facts) { return facts.find(kAccess.sectors_per_request); }

}  // namespace

Rule uncoalesced_loads_rule() {
  Rule rule;
  rule.info = {
      "uncoalesced_loads",
      "the global loads of a warp touch more 32-byte sectors than their bytes fill",
      "surplus sectors as a share of the sectors in L1 x memory time, bounded by the busiest unit that "
      "computes. Memory time is the larger of the use of the busiest memory unit and the share of time that "
      "warps wait for memory. Other accesses run before and after these, or at the same time. The case with "
      "the larger surplus counts",
      "CUDA C++ Best Practices Guide, \"Coalesced Access to Global Memory\"; Nsight Compute "
      "Profiling Guide, \"Memory Tables\"",
      "Let neighbouring lanes load neighbouring addresses: swap the roles of indices, store records as "
      "structures of arrays, or align rows to 32 bytes. Or go through shared memory.",
      "The used bytes of each sector give the number of needed sectors. If that counter is missing, only "
      "more than 16 sectors count as a fault, because no access of a warp needs more. Sectors that other "
      "loads find in L1 reduce the cost."};
  rule.needs = {kAccess.sectors_per_request};
  rule.reads = uncoalesced_reads(kAccess);
  rule.check = check;
  rule.target = {"sectors per load", target, false, false};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
