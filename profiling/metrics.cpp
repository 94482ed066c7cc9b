#include "profiling/metrics.h"

#include <utility>

#include "profiling/detail/metric_planner.h"

namespace warptune::profiling {

namespace {

// The core rows come first, the most telling first: a chip that cannot read all in one pass drops from the
// end. Names and meanings: Nsight Compute's documentation, "Profiling Guide", sections "Metrics Structure"
// and "Metrics Decoder".
constexpr MetricInfo kCatalogue[] = {
    {"gpu__time_duration.sum", "Time when counted", "ns",
     "time inside the counted range, longer than a plain launch; never ranks", true},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM throughput", "%",
     "how busy device memory was, of what it can sustain", true},
    {"dram__bytes.sum", "DRAM traffic", "byte", "bytes read from and written to device memory", true},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved occupancy", "%",
     "resident warps, of the most an SM can hold, while it worked", true},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "Active threads", "ratio",
     "threads that took part in an instruction, of 32; fewer means divergence or idle lanes", true},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "Shared bank conflicts", "",
     "further passes through the banks that shared-memory accesses needed", true},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "Shared wavefronts", "",
     "all passes through the banks by shared-memory accesses", true},
    {"smsp__inst_executed.sum", "Instructions", "", "warp instructions executed", true},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "Issue slots used", "%",
     "cycles in which a scheduler issued an instruction", true},
    {"lts__t_bytes.sum", "L2 traffic", "byte", "bytes that passed the L2 cache's tags", true},

    {"shared_bank_conflicts_per_access", "Conflicts per access", "ratio",
     "bank conflicts for each pass that was needed anyway: 31 where all lanes meet in one bank", false},
    {"dram__bytes_read.sum", "DRAM read", "byte", "bytes read from device memory", false},
    {"dram__bytes_write.sum", "DRAM written", "byte", "bytes written to device memory", false},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM throughput", "%",
     "the busiest part of the SMs, of what it can sustain", false},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1 throughput", "%",
     "the busiest part of the L1 and shared-memory unit, of what it can sustain", false},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 throughput", "%",
     "the busiest part of the L2 cache, of what it can sustain", false},
    {"l1tex__t_sector_hit_rate.pct", "L1 hit rate", "%", "sectors found in L1", false},
    {"lts__t_sector_hit_rate.pct", "L2 hit rate", "%", "sectors found in L2", false},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "Sectors per global load",
     "ratio", "32-byte sectors a warp's global load touched: 4 for coalesced 4-byte elements, 32 at worst",
     false},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "Sectors per global store",
     "ratio", "32-byte sectors a warp's global store touched: 4 for coalesced 4-byte elements, 32 at worst",
     false},
    {"smsp__inst_executed_op_shared_ld.sum", "Shared loads", "",
     "warp instructions that loaded from shared memory", false},
    {"smsp__inst_executed_op_shared_st.sum", "Shared stores", "",
     "warp instructions that stored to shared memory", false},
    {"smsp__inst_executed_op_local_ld.sum", "Local loads", "",
     "warp instructions that loaded spilled or indexed locals", false},
    {"smsp__inst_executed_op_local_st.sum", "Local stores", "",
     "warp instructions that stored spilled or indexed locals", false},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "FMA pipe", "%",
     "cycles in which the FP32 multiply-add pipe worked", false},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "Tensor pipe", "%",
     "cycles in which the tensor cores worked", false},
    {"sm__cycles_active.avg", "SM cycles active", "cycle", "cycles an SM had at least one warp, on average",
     false},
    {"sm__cycles_elapsed.max", "SM cycles", "cycle", "cycles that passed in the range", false},
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "Stalled on memory", "ratio",
     "warps that waited for global, local or texture memory, for each issue", false},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "Stalled on shared memory",
     "ratio", "warps that waited for shared memory or special functions, for each issue", false},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "Stalled at barriers", "ratio",
     "warps that waited for their block at a barrier, for each issue", false},
    {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "Stalled on arithmetic",
     "ratio", "warps that waited for a busy arithmetic pipe, for each issue", false},
    {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
     "Stalled on shared-memory queue", "ratio",
     "warps that waited for the queue to shared memory and special functions, for each issue", false},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "Stalled on memory queue",
     "ratio", "warps that waited for the queue to global and local memory, for each issue", false},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "Stalled on fixed latency", "ratio",
     "warps that waited for an instruction of fixed latency, for each issue", false},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
     "Stalled on instruction fetch", "ratio", "warps that waited for their next instruction, for each issue",
     false},
    {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "Ready, not chosen", "ratio",
     "warps that could have issued while another did, for each issue", false},
};

}  // namespace

std::span<const MetricInfo> metric_catalogue() { return kCatalogue; }

std::vector<std::string> core_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& metric : kCatalogue) {
    if (metric.core) names.emplace_back(metric.name);
  }
  return names;
}

PassPlan plan_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  detail::MetricPlan plan = detail::plan_metrics(chip, metrics);
  return {plan.passes, std::move(plan.unknown)};
}

}  // namespace warptune::profiling
