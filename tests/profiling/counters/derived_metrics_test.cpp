#include "profiling/counters/derived_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/counters/metrics.h"

namespace warptune::profiling::counters {
namespace {

TEST(DerivedMetrics, CountConflictsForEachNeededWavefront) {
  model::Counters counters = {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 3100.0},
                              {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 3200.0}};
  add_derived_metrics(counters);
  EXPECT_DOUBLE_EQ(counters.at("shared_bank_conflicts_per_access"), 31.0);
}

TEST(DerivedMetrics, AreAbsentWithoutTheirInputs) {
  model::Counters counters = {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 3200.0}};
  add_derived_metrics(counters);
  EXPECT_EQ(counters.size(), 1U);
}

TEST(DerivedMetrics, AreTheSumOfLoadsAndStoresOnlyWhereTheChipWasNotAsked) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  model::Counters counters = {{conflicts + "_op_ld.sum", 3.0}, {conflicts + "_op_st.sum", 4.0}};
  add_derived_metrics(counters);
  EXPECT_DOUBLE_EQ(counters.at(conflicts + ".sum"), 7.0);
  counters[conflicts + ".sum"] = 9.0;  // Includes atomics.
  add_derived_metrics(counters);
  EXPECT_DOUBLE_EQ(counters.at(conflicts + ".sum"), 9.0);
}

TEST(DerivedMetrics, GiveSharesOfTheLaunchByTheBusiestPipe) {
  model::Counters counters = {{"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", 30.0},
                              {"smsp__issue_active.avg.pct_of_peak_sustained_active", 40.0},
                              {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 80.0},
                              {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", 10.0},
                              {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", 0.0},
                              {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 1.0},
                              {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0.0}};
  add_derived_metrics(counters);
  EXPECT_DOUBLE_EQ(counters.at("compute_throughput_pct"), 60.0);
}

TEST(DerivedMetrics, OfSectorsAndOperationsAreTheirRatiosAndSums) {
  const std::string op = "smsp__sass_thread_inst_executed_op_";
  const std::string global = "_pipe_lsu_mem_global_op_ld";
  model::Counters counters = {{"l1tex__t_sectors" + global + ".sum", 96.0},
                              {"l1tex__t_requests" + global + ".sum", 24.0},
                              {op + "fadd_pred_on.sum", 1.0},
                              {op + "fmul_pred_on.sum", 2.0},
                              {op + "ffma_pred_on.sum", 10.0},
                              {op + "hadd_pred_on.sum", 1.0},
                              {op + "hmul_pred_on.sum", 2.0},
                              {op + "hfma_pred_on.sum", 10.0}};
  add_derived_metrics(counters);
  EXPECT_DOUBLE_EQ(counters.at("l1tex__average_t_sectors_per_request" + global + ".ratio"), 4.0);
  EXPECT_DOUBLE_EQ(counters.at("fp32_operations"), 23.0);
  EXPECT_DOUBLE_EQ(counters.at("fp16_operations"), 46.0);
  EXPECT_EQ(counters.count("fp64_operations"), 0U);
}

TEST(DerivedMetrics, OfNothingAreZero) {
  const std::string global = "_pipe_lsu_mem_global_op_st";
  model::Counters counters = {{"l1tex__t_sectors" + global + ".sum", 0.0},
                              {"l1tex__t_requests" + global + ".sum", 0.0}};
  add_derived_metrics(counters);
  EXPECT_EQ(counters.at("l1tex__average_t_sectors_per_request" + global + ".ratio"), 0.0);
}

TEST(DerivedMetrics, StalledOtherwiseIsWhatTheNamedReasonsLeaveAndNeverNegative) {
  model::Counters counters;
  for (const std::string& input : expand_derived_metrics({"stalled_otherwise"})) counters[input] = 0.0;
  counters.erase(stall_metric("gmma"));  // Some chips do not have it.
  counters["smsp__warps_active.avg.per_cycle_active"] = 8.0;
  counters["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 50.0;
  counters[stall_metric("wait")] = 2.0;
  counters[stall_metric("imc_miss")] = 3.0;
  model::Counters full = counters;
  add_derived_metrics(full);
  EXPECT_DOUBLE_EQ(full.at("stalled_otherwise"), 16.0 - 1.0 - 2.0 - 3.0);
  counters[stall_metric("wait")] = 99.0;
  add_derived_metrics(counters);
  EXPECT_EQ(counters.at("stalled_otherwise"), 0.0);
}

TEST(DerivedMetrics, AreReadByTheirInputsOnceAndNotWhereTheyComeInPassing) {
  const std::vector<std::string> inputs = expand_derived_metrics({"fp32_operations", "fp32_operations"});
  EXPECT_EQ(inputs.size(), 3U);
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  std::vector<std::string> read = {conflicts + "_op_ld.sum", conflicts + "_op_st.sum",
                                   wavefronts + "_op_ld.sum", wavefronts + "_op_st.sum"};
  const std::vector<std::string> without = read;
  read.emplace_back("shared_bank_conflicts_per_access");
  EXPECT_EQ(expand_derived_metrics(read), without);
  EXPECT_EQ(expand_derived_metrics({"shared_bank_conflicts_per_access"}),
            (std::vector<std::string>{conflicts + ".sum", wavefronts + ".sum"}));
}

}  // namespace
}  // namespace warptune::profiling::counters
