#pragma once

/// Names of CUPTI's counters that several places read. The names of warptune's own metrics are in
/// model/own_metrics.h.
namespace warptune::profiling::diagnosis::metric {

inline constexpr const char* kAchievedOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
inline constexpr const char* kIssueSlots = "smsp__issue_active.avg.pct_of_peak_sustained_active";
inline constexpr const char* kInstructions = "smsp__inst_executed.sum";
inline constexpr const char* kActiveThreads = "smsp__thread_inst_executed_per_inst_executed.ratio";
inline constexpr const char* kActivePredicatedOn =
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";
inline constexpr const char* kDramBytes = "dram__bytes.sum";
inline constexpr const char* kDramBytesRead = "dram__bytes_read.sum";
inline constexpr const char* kDramBytesWritten = "dram__bytes_write.sum";
inline constexpr const char* kDramThroughput = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr const char* kL2Throughput = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr const char* kL2Bytes = "lts__t_bytes.sum";
inline constexpr const char* kL2SectorsRead = "lts__t_sectors_op_read.sum";
inline constexpr const char* kL2SectorsWritten = "lts__t_sectors_op_write.sum";
inline constexpr const char* kL2SectorsAtomic = "lts__t_sectors_op_atom.sum";
inline constexpr const char* kL2SectorsReduced = "lts__t_sectors_op_red.sum";
inline constexpr const char* kL1Throughput = "l1tex__throughput.avg.pct_of_peak_sustained_active";
inline constexpr const char* kL1HitRate = "l1tex__t_sector_hit_rate.pct";
inline constexpr const char* kSharedWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
inline constexpr const char* kSharedLoadWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr const char* kSharedStoreWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
inline constexpr const char* kSharedConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
inline constexpr const char* kSectorsPerLoad =
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
inline constexpr const char* kGlobalLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr const char* kGlobalLoadHits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
inline constexpr const char* kGlobalLoads = "smsp__inst_executed_op_global_ld.sum";
inline constexpr const char* kSharedLoads = "smsp__inst_executed_op_shared_ld.sum";
inline constexpr const char* kSharedStores = "smsp__inst_executed_op_shared_st.sum";
inline constexpr const char* kLocalLoads = "smsp__inst_executed_op_local_ld.sum";
inline constexpr const char* kLocalStores = "smsp__inst_executed_op_local_st.sum";
inline constexpr const char* kGlobalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr const char* kGlobalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr const char* kLocalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
inline constexpr const char* kLocalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
inline constexpr const char* kFmaPipe = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr const char* kFp64Pipe = "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active";
inline constexpr const char* kAluPipe = "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active";
inline constexpr const char* kXuPipe = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active";
inline constexpr const char* kTensorPipe = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
inline constexpr const char* kSmCyclesActive = "sm__cycles_active.avg";
inline constexpr const char* kSmCyclesActiveMax = "sm__cycles_active.max";
inline constexpr const char* kConversions = "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum";
inline constexpr const char* kIntegerOperations = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum";

// Names of other information that a rule may need. They are not counters: `Facts::find` only says whether the
// information is known.
inline constexpr const char* kMinBytes = "bytes in [work]";
inline constexpr const char* kFlops = "flops in [work]";
inline constexpr const char* kLaunch = "launch geometry and resources";
/// Known unless the kernel loads by asynchronous copies (cp.async) and all sectors that they load may be
/// needed. The counter of used bytes leaves out these copies, so it does not show whether they use all bytes.
inline constexpr const char* kUsedBytesOfLoads = "used bytes of asynchronous copies";

}  // namespace warptune::profiling::diagnosis::metric
