// What the counters do not show is not a fault. What costs no time is not a fault either.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/facts.h"
#include "tests/profiling/diagnosis/even_kernel.h"

namespace warptune::profiling::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kSectorsPerLoad = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
const std::string kUsedBytes = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
const std::string kIssue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
const std::string kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
const std::string kPasses = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
const std::string kExactPassesOfLoads = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";

std::vector<std::string> all_rules_of(const Diagnosis& diagnosis) {
  std::vector<std::string> rules;
  for (const Finding& finding : diagnosis.findings) rules.push_back(finding.rule);
  return rules;
}

// The loads of a kernel whose warps wait for memory: 16 sectors per request.
DiagnosisInput loading_kernel(double ordinary_loads, double used_bytes) {
  DiagnosisInput input = even_kernel();
  counters(input)[kSectorsPerLoad] = 16.0;
  counters(input)[kUsedBytes] = used_bytes;
  counters(input)["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 1e6;
  counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 16e6;
  counters(input)["smsp__inst_executed_op_global_ld.sum"] = ordinary_loads;
  counters(input)["lts__throughput.avg.pct_of_peak_sustained_elapsed"] = 75.0;
  return input;
}

TEST(FalseAlarms, LoadsThatTheCounterOfUsedBytesLeavesOutAreNotChecked) {
  const Diagnosis copies = diagnose(loading_kernel(0.0, 0.0));
  EXPECT_THAT(all_rules_of(copies), Not(Contains("uncoalesced_loads")));
  ASSERT_EQ(copies.unchecked.size(), 1U);
  EXPECT_EQ(copies.unchecked[0].rule, "uncoalesced_loads");
  EXPECT_THAT(copies.unchecked[0].metrics, ElementsAre("used bytes of asynchronous copies"));
  EXPECT_THAT(all_rules_of(diagnose(loading_kernel(0.3e6, 12.5))), Not(Contains("uncoalesced_loads")));
  const Diagnosis loads = diagnose(loading_kernel(1e6, 12.5));
  EXPECT_THAT(rules_of(loads, Severity::kFault), ElementsAre("uncoalesced_loads"));
  EXPECT_THAT(loads.unchecked, IsEmpty());
}

TEST(FalseAlarms, CopiesOfMoreSectorsThanAnyNeedsAreAFault) {
  DiagnosisInput input = loading_kernel(0.0, 0.0);
  counters(input)[kSectorsPerLoad] = 32.0;
  const Diagnosis diagnosis = diagnose(input);
  EXPECT_THAT(rules_of(diagnosis, Severity::kFault), ElementsAre("uncoalesced_loads"));
  EXPECT_THAT(finding_of(diagnosis, "uncoalesced_loads").title, HasSubstr("where 16.0 would suffice"));
}

TEST(FalseAlarms, SurplusSectorsThatL1HasCostItsCyclesAlone) {
  DiagnosisInput input = loading_kernel(1e6, 50.0);
  const double missing = finding_of(diagnose(input), "uncoalesced_loads").gain;
  counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] = 12e6;
  const double hitting = finding_of(diagnose(input), "uncoalesced_loads").gain;
  EXPECT_NEAR(missing, 0.3, 0.001);        // Half of the time of L2, bounded by issue slots.
  EXPECT_NEAR(hitting, 0.5 * 0.4, 0.001);  // Half of the time of L1.
}

TEST(FalseAlarms, BytesThatLeaveL2LaterCountAsTrafficOfDeviceMemory) {
  DiagnosisInput input = even_kernel();
  input.work.bytes = 4.0e7;
  input.work.written_share = 0.5;
  input.measurement.time = {10e3, 10e3, 10e3};
  counters(input)["dram__bytes.sum"] = 2.1e7;
  counters(input)["dram__bytes_read.sum"] = 2.0e7;
  counters(input)["dram__bytes_write.sum"] = 0.1e7;
  input.gpu.l2_bytes = 50'000'000;
  const Diagnosis cold = diagnose(input);
  EXPECT_THAT(rules_of(cold, Severity::kLimit), ElementsAre("dram_bound"));
  EXPECT_THAT(finding_of(cold, "dram_bound").title,
              HasSubstr("95 % of its roof (4000 GB/s, of which 1900 GB/s leave L2 after the launch)"));
  input.cache = model::CacheState::kWarm;  // The next launch overwrites them in L2.
  EXPECT_THAT(all_rules_of(diagnose(input)), Not(Contains("dram_bound")));
}

TEST(FalseAlarms, WhereNoWarpRanNoneWaits) {
  DiagnosisInput input = even_kernel();  // As a host program that only copies.
  resources(input) = {};
  for (auto& [name, value] : counters(input)) value = 0.0;
  counters(input)["dram__bytes.sum"] = 1e7;
  EXPECT_THAT(all_rules_of(diagnose(input)), IsEmpty());
}

TEST(FalseAlarms, AShortLaunchIsJudgedWithoutItsStartAndItsEnd) {
  DiagnosisInput input = even_kernel();
  counters(input)[kIssue] = 10.0;
  counters(input)[stalled("long_scoreboard")] = 100.0;
  counters(input)["dram__bytes.sum"] = 0.55 * 4.2e12 * 100e-6;
  EXPECT_THAT(rules_of(diagnose(input), Severity::kFault), ElementsAre("latency_bound"));
  input.measurement.time = {7e3, 7e3, 7e3};
  counters(input)["dram__bytes.sum"] = 0.55 * 4.2e12 * 7e-6;
  const Diagnosis limited = diagnose(input);  // 55 % of 7 us are 84 % of 4.6 us.
  EXPECT_THAT(all_rules_of(limited), ElementsAre("dram_bound"));
  EXPECT_THAT(finding_of(limited, "dram_bound").evidence.back().text,
              HasSubstr("84 % without the start and the end of the launch"));
  counters(input)["dram__bytes.sum"] = 0.3 * 4.2e12 * 7e-6;
  counters(input)["l1tex__throughput.avg.pct_of_peak_sustained_active"] = 20.0;
  const Diagnosis waiting = diagnose(input);
  EXPECT_THAT(rules_of(waiting, Severity::kFault), IsEmpty());
  EXPECT_THAT(rules_of(waiting, Severity::kHint), Contains("latency_bound"));
}

TEST(FalseAlarms, PassesThatOtherTrafficTakesAreNoBankConflicts) {
  DiagnosisInput input = even_kernel();
  for (const char* op : {"", "_op_ld"}) {
    counters(input)[kConflicts + op + ".sum"] = 4e6;
    counters(input)[kPasses + op + ".sum"] = 12e6;
  }
  counters(input)[kPasses + "_op_st.sum"] = 0.0;
  counters(input)[kExactPassesOfLoads] = 8e6;
  EXPECT_THAT(all_rules_of(diagnose(input)), Not(Contains("shared_bank_conflicts")));
  counters(input)[kExactPassesOfLoads] = 12e6;
  EXPECT_THAT(all_rules_of(diagnose(input)), Contains("shared_bank_conflicts"));
}

TEST(FalseAlarms, AFaultOfAnotherUnitThanTheFullOneIsAHint) {
  DiagnosisInput input = even_kernel();
  counters(input)[kConflicts + ".sum"] = 12e6;
  counters(input)[kPasses + ".sum"] = 13e6;
  EXPECT_THAT(rules_of(diagnose(input), Severity::kFault), ElementsAre("shared_bank_conflicts"));
  counters(input)[kIssue] = 85.0;
  EXPECT_THAT(rules_of(diagnose(input), Severity::kFault), IsEmpty());
  EXPECT_THAT(rules_of(diagnose(input), Severity::kHint), ElementsAre("shared_bank_conflicts"));
}

TEST(FalseAlarms, TheOccupancyOfAShortLaunchIsNotJudged) {
  DiagnosisInput input = even_kernel();
  resources(input) = {128, 0, 0, 0, 256, 132 * 8, 2, 0.25};
  counters(input)["sm__warps_active.avg.pct_of_peak_sustained_active"] = 24.0;
  counters(input)[stalled("long_scoreboard")] = 3.0;
  EXPECT_THAT(all_rules_of(diagnose(input)), Contains("occupancy_by_registers"));
  input.measurement.time = {7e3, 7e3, 7e3};
  counters(input)["dram__bytes.sum"] = 1e6;
  EXPECT_THAT(all_rules_of(diagnose(input)), Not(Contains("occupancy_by_registers")));
}

TEST(FalseAlarms, SpillsAreAHintWhereTheirUseWasNotCounted) {
  DiagnosisInput input = even_kernel();
  resources(input).local_bytes = 32;
  const auto spills = [&] {
    const Diagnosis diagnosis = diagnose(input);
    EXPECT_THAT(rules_of(diagnosis, Severity::kFault), IsEmpty());
    const std::vector<std::string> rules = all_rules_of(diagnosis);
    return std::find(rules.begin(), rules.end(), "register_spills") == rules.end()
               ? std::string()
               : finding_of(diagnosis, "register_spills").title;
  };
  counters(input)["spill_bytes"] = 24.0;
  EXPECT_EQ(spills(), "");  // They are counted, and there are none.
  counters(input).erase("smsp__inst_executed_op_local_ld.sum");
  EXPECT_THAT(spills(), HasSubstr("24 bytes of registers per thread are spilled; how often"));
  counters(input)["spill_bytes"] = 0.0;
  EXPECT_EQ(spills(), "");
  counters(input).erase("spill_bytes");
  EXPECT_THAT(spills(),
              HasSubstr("32 bytes of local memory per thread: spilled registers or indexed arrays"));
}

TEST(FalseAlarms, NoAdviceNamesWhatTheLoadsAlreadyHave) {
  DiagnosisInput input = even_kernel();
  counters(input)[kIssue] = 10.0;
  counters(input)[stalled("long_scoreboard")] = 100.0;
  EXPECT_THAT(finding_of(diagnose(input), "latency_bound").remedy, HasSubstr("vectors of 2 or 4"));
  counters(input)[kSectorsPerLoad] = 16.0;
  EXPECT_THAT(finding_of(diagnose(input), "latency_bound").remedy, Not(HasSubstr("vectors")));
}

}  // namespace
}  // namespace warptune::profiling::diagnosis
