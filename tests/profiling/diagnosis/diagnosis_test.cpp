#include "profiling/diagnosis/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/rules.h"
#include "tests/profiling/diagnosis/even_kernel.h"

namespace warptune::profiling::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Diagnosis, FindsNothingInAnEvenKernelAndChecksEveryRule) {
  const Diagnosis diagnosis = diagnose(even_kernel());
  EXPECT_THAT(diagnosis.unchecked, IsEmpty());
  for (const Finding& finding : diagnosis.findings) ADD_FAILURE() << finding.rule << ": " << finding.title;
}

TEST(Diagnosis, LowOccupancyIsAHintWhereNoStallCounterTellsWhetherWarpsWait) {
  DiagnosisInput input = even_kernel();
  input.measurement.counters["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 30.0;
  input.measurement.resources.registers_per_thread = 128;
  input.measurement.resources.blocks_per_sm = 2;
  input.measurement.resources.theoretical_occupancy = 0.25;
  input.measurement.counters["sm__warps_active.avg.pct_of_peak_sustained_active"] = 24.0;
  for (const char* reason : {"long_scoreboard", "short_scoreboard", "wait"})
    input.measurement.counters.erase(stalled(reason));
  EXPECT_EQ(finding_of(diagnose(input), "occupancy_by_registers").severity, Severity::kHint);
}

// The change of that kernel that triggers one rule, and the gain that the rule must state.
struct Case {
  std::string rule;
  Severity severity;
  double gain;
  std::function<void(DiagnosisInput&)> change;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.rule; }

std::vector<Case> cases();

class DiagnosisRuleTest : public ::testing::TestWithParam<Case> {};

TEST_P(DiagnosisRuleTest, SpeaksAloneWithItsGainAndItsEvidence) {
  DiagnosisInput input = even_kernel();
  GetParam().change(input);
  const Diagnosis diagnosis = diagnose(input);
  EXPECT_THAT(rules_of(diagnosis, GetParam().severity), ElementsAre(GetParam().rule));
  if (GetParam().severity != Severity::kFault) {
    EXPECT_THAT(rules_of(diagnosis, Severity::kFault), IsEmpty());
  }
  const Finding& finding = finding_of(diagnosis, GetParam().rule);
  EXPECT_NEAR(finding.gain, GetParam().gain, 0.005);
  EXPECT_FALSE(finding.title.empty());
  EXPECT_FALSE(finding.gain_basis.empty());
  EXPECT_FALSE(finding.remedy.empty());
  ASSERT_FALSE(finding.evidence.empty());
  for (const Evidence& evidence : finding.evidence) EXPECT_FALSE(evidence.text.empty()) << evidence.metric;
}

INSTANTIATE_TEST_SUITE_P(Rules, DiagnosisRuleTest, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.rule; });

TEST(DiagnosisRules, EachHasACaseHere) {
  std::set<std::string> tested;
  for (const Case& one : cases()) tested.insert(one.rule);
  for (const RuleInfo& rule : diagnosis_rules())
    EXPECT_TRUE(tested.contains(std::string(rule.id))) << rule.id;
}

TEST(DiagnosisRules, HaveNamesOfTheirOwnAndCausesThatExistWithoutACircle) {
  std::map<std::string_view, const Rule*> by_id;
  for (const Rule& rule : rule_table()) {
    EXPECT_TRUE(by_id.emplace(rule.info.id, &rule).second) << rule.info.id;
    for (const std::string_view text :
         {std::string_view(rule.info.trigger), rule.info.gain, rule.info.source, rule.info.remedy})
      EXPECT_FALSE(text.empty()) << rule.info.id;
  }
  // The depth of the chain of causes. It would be infinite in a circle.
  std::function<void(const Rule&, std::size_t)> follow = [&](const Rule& rule, std::size_t depth) {
    ASSERT_LE(depth, by_id.size()) << rule.info.id << " is its own cause";
    for (const std::string_view cause : rule.causes) {
      ASSERT_TRUE(by_id.contains(cause)) << rule.info.id << " names " << cause;
      follow(*by_id.at(cause), depth + 1);
    }
  };
  for (const Rule& rule : rule_table()) follow(rule, 0);
}

TEST(Diagnosis, NamesTheCountersThatARuleLacks) {
  DiagnosisInput input = even_kernel();
  counters(input).erase("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio");
  const Diagnosis diagnosis = diagnose(input);
  ASSERT_EQ(diagnosis.unchecked.size(), 1U);
  EXPECT_EQ(diagnosis.unchecked[0].rule, "predication");
  EXPECT_THAT(diagnosis.unchecked[0].metrics,
              ElementsAre("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"));
}

TEST(Diagnosis, OfCopiesThatExecuteNothingNamesNoPredicates) {
  DiagnosisInput input = even_kernel();
  counters(input)["smsp__thread_inst_executed_per_inst_executed.ratio"] = 0.0;
  counters(input)["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] = 0.0;
  for (const Finding& finding : diagnose(input).findings) EXPECT_NE(finding.rule, "predication");
}

TEST(Diagnosis, OfTheCoreSetSaysWhatItCan) {
  DiagnosisInput input = even_kernel();
  counters(input)["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = 12e6;
  counters(input)["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 13e6;
  const std::vector<std::string> core = counters::core_metrics();
  std::erase_if(counters(input), [&](const auto& counter) {
    return std::find(core.begin(), core.end(), counter.first) == core.end();
  });
  const Diagnosis diagnosis = diagnose(input);
  EXPECT_THAT(rules_of(diagnosis, Severity::kFault), ElementsAre("shared_bank_conflicts"));
  EXPECT_FALSE(diagnosis.unchecked.empty());
}

TEST(Diagnosis, SaysWhetherLoadsOrStoresConflict) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  const auto title = [&](double loads, double stores) {
    DiagnosisInput input = even_kernel();
    counters(input)[conflicts + ".sum"] = 12e6;
    counters(input)[conflicts + "_op_ld.sum"] = loads;
    counters(input)[conflicts + "_op_st.sum"] = stores;
    counters(input)["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 13e6;
    return finding_of(diagnose(input), "shared_bank_conflicts").title;
  };
  EXPECT_THAT(title(12e6, 0.0), HasSubstr("needed, by loads"));
  EXPECT_THAT(title(0.0, 12e6), HasSubstr("needed, by stores"));
  EXPECT_THAT(title(9e6, 3e6), HasSubstr("75 % by loads"));
}

TEST(Diagnosis, SectorsThatNobodyAskedForGainNoMoreThanTheirShareOfAll) {
  const auto gain = [](double loads, double stores) {
    DiagnosisInput input = even_kernel();
    counters(input)["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"] = 32.0;
    counters(input)["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = 12.5;
    counters(input)["lts__throughput.avg.pct_of_peak_sustained_elapsed"] = 90.0;
    counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = loads;
    counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = stores;
    return finding_of(diagnose(input), "uncoalesced_loads").gain;
  };
  EXPECT_GT(gain(1e6, 0.0), 0.2);
  EXPECT_LT(gain(1e6, 4e6), 0.2);  // It is a fifth of all sectors.
  EXPECT_GT(gain(1e6, 4e6), 0.1);
}

TEST(Diagnosis, WithoutATimeFindsNothing) {
  DiagnosisInput input = even_kernel();
  input.measurement.time = {};
  EXPECT_THAT(diagnose(input).findings, IsEmpty());
}

TEST(Diagnosis, ASymptomBecomesAHintThatNamesItsCause) {
  DiagnosisInput input = even_kernel();
  resources(input).blocks = 33;
  counters(input)["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 10.0;
  counters(input)[stalled("long_scoreboard")] = 100.0;
  const Diagnosis diagnosis = diagnose(input);
  EXPECT_THAT(rules_of(diagnosis, Severity::kFault), ElementsAre("small_grid"));
  EXPECT_EQ(finding_of(diagnosis, "latency_bound").severity, Severity::kHint);
  EXPECT_EQ(finding_of(diagnosis, "latency_bound").follows_from, "small_grid");
}

TEST(Diagnosis, OrdersFaultsBeforeLimitsBeforeHintsAndEachByGain) {
  DiagnosisInput input = even_kernel();
  counters(input)["dram__bytes.sum"] = 3.7e8;                                   // For dram_bound.
  counters(input)["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = 2e6;  // A hint.
  counters(input)["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 4e6;
  counters(input)["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"] = 32.0;
  counters(input)["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = 12.5;  // A fault.
  const Diagnosis diagnosis = diagnose(input);
  const std::vector<Severity> order = {Severity::kFault, Severity::kLimit, Severity::kHint};
  const auto place = [&](const Finding& finding) {
    return std::find(order.begin(), order.end(), finding.severity);
  };
  for (std::size_t i = 1; i < diagnosis.findings.size(); ++i) {
    const Finding& before = diagnosis.findings[i - 1];
    const Finding& after = diagnosis.findings[i];
    EXPECT_LE(place(before), place(after));
    if (before.severity == after.severity) {
      EXPECT_GE(before.gain, after.gain);
    }
  }
  EXPECT_THAT(rules_of(diagnosis, Severity::kFault), Contains("uncoalesced_loads"));
  EXPECT_THAT(rules_of(diagnosis, Severity::kHint), Contains("shared_bank_conflicts"));
  EXPECT_THAT(rules_of(diagnosis, Severity::kLimit), ElementsAre("dram_bound"));
}

// Makes a space PAD x BLOCK in which PAD=0 has bank conflicts.
model::Recording padded_space() {
  model::Recording recording;
  recording.workload.gpu = model::fictional_gpu();
  recording.parameters = {{"PAD", {std::int64_t{0}, std::int64_t{1}}, "", {}},
                          {"BLOCK", {std::int64_t{128}, std::int64_t{256}, std::int64_t{512}}, "", {}}};
  for (const std::int64_t pad : {0, 1}) {
    for (const std::int64_t block : {128, 256, 512}) {
      model::Measurement row = even_kernel().measurement;
      row.configuration = {{"PAD", pad}, {"BLOCK", block}};
      const double time_ns = (pad == 0 ? 100e3 : 50e3) + static_cast<double>(block);
      row.time = {time_ns, time_ns, time_ns};
      row.counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = pad == 0 ? 12e6 : 0.0;
      row.counters["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = pad == 0 ? 13e6 : 1e6;
      recording.measurements.push_back(row);
    }
  }
  return recording;
}

TEST(Diagnosis, RemediesComeFromMeasuredRowsThatDifferInOneParameter) {
  const model::Recording recording = padded_space();
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  DiagnosisInput input = even_kernel();
  input.measurement = recording.measurements[1];
  input.effects = &effects;
  const Finding finding = finding_of(diagnose(input), "shared_bank_conflicts");
  ASSERT_EQ(finding.parameters.size(), 1U);
  const ParameterRemedy& remedy = finding.parameters[0];
  EXPECT_EQ(remedy.parameter, "PAD");
  EXPECT_EQ(remedy.to, model::Value(std::int64_t{1}));
  EXPECT_TRUE(remedy.measured);
  EXPECT_NEAR(remedy.time_ratio.value(), 0.5, 0.01);
  EXPECT_THAT(remedy.text, HasSubstr("PAD=1 instead of 0: conflicts per access 12.0 -> 0.0, time 0.50x"));
  EXPECT_THAT(remedy.text, HasSubstr("in 3 pairs"));
}

TEST(Diagnosis, OccupancyRemediesComeFromResourceUseWhereNothingWasMeasured) {
  model::Recording recording = padded_space();
  recording.measurements.resize(1);
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  DiagnosisInput input = even_kernel();
  input.effects = &effects;
  input.measurement.configuration = recording.measurements[0].configuration;
  resources(input) = {200, 0, 0, 0, 128, 132 * 64, 2, 0.125};
  counters(input)["sm__warps_active.avg.pct_of_peak_sustained_active"] = 12.0;
  counters(input)["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 20.0;
  input.resources_of = [](const model::NamedValues& configuration) -> std::optional<model::ResourceUse> {
    const bool is_padded = *model::find(configuration, "PAD") == model::Value(std::int64_t{1});
    return model::ResourceUse{is_padded ? 64 : 200, 0, 0, 0, 128, 132 * 64};
  };
  const Finding finding = finding_of(diagnose(input), "occupancy_by_registers");
  ASSERT_EQ(finding.parameters.size(), 1U);
  EXPECT_FALSE(finding.parameters[0].measured);
  EXPECT_THAT(finding.parameters[0].text,
              HasSubstr("PAD=1 instead of 0: theoretical occupancy 12 % -> 50 %"));
}

std::vector<Case> cases() {
  const std::string issue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
  const std::string achieved = "sm__warps_active.avg.pct_of_peak_sustained_active";
  const std::string l1 = "l1tex__throughput.avg.pct_of_peak_sustained_active";
  // Warps wait, and the issue slots are the busiest unit with 20 %.
  const auto waits = [=](DiagnosisInput& input) {
    counters(input)[issue] = 20.0;
    counters(input)[l1] = 10.0;
    counters(input)["lts__throughput.avg.pct_of_peak_sustained_elapsed"] = 10.0;
    counters(input)["sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"] = 10.0;
  };
  const auto occupancy = [=](std::int64_t registers, std::int64_t shared, std::int64_t threads,
                             std::int64_t blocks_per_sm, double theoretical) {
    return [=](DiagnosisInput& input) {
      waits(input);
      counters(input)["dram__bytes.sum"] = 0.84e8;  // Exactly 20 % of the roof.
      resources(input) = {registers,     shared,     0, 0, threads, 132 * 64 * blocks_per_sm,
                          blocks_per_sm, theoretical};
      counters(input)[achieved] = theoretical * 100.0;
      counters(input)[stalled("long_scoreboard")] = 0.8 * theoretical * 16.0 / 0.2;
    };
  };
  const Severity fault = Severity::kFault;
  const Severity limit = Severity::kLimit;
  return {
      {"dram_bound", limit, 0.10,
       [](DiagnosisInput& input) {
         counters(input)["dram__bytes.sum"] = 0.9 * 4.2e8;
         input.work.bytes = 3.7e8;
       }},
      {"excess_dram_traffic", fault, 0.30,
       [](DiagnosisInput& input) {
         counters(input)["dram__bytes.sum"] = 0.7 * 4.2e8;
         input.work.bytes = 0.35 * 4.2e8;
       }},
      {"uncoalesced_loads", fault, 0.30,
       [=](DiagnosisInput& input) {
         counters(input)["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"] = 32.0;
         counters(input)["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = 12.5;
         counters(input)[l1] = 90.0;
       }},
      {"uncoalesced_stores", fault, 0.30,
       [=](DiagnosisInput& input) {
         counters(input)["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"] = 32.0;
         counters(input)["smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"] = 12.5;
         counters(input)[l1] = 90.0;
       }},
      {"shared_bank_conflicts", fault, 12e6 / (132 * 198e3) > 0.3 ? 0.30 : 12e6 / (132 * 198e3),
       [](DiagnosisInput& input) {
         counters(input)["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"] = 12e6;
         counters(input)["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 13e6;
       }},
      {"shared_memory_bound", limit, 0.10,
       [](DiagnosisInput& input) {
         counters(input)["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 0.9 * 132 * 198e3;
       }},
      {"l2_bound", limit, 0.15,
       [](DiagnosisInput& input) {
         counters(input)["lts__throughput.avg.pct_of_peak_sustained_elapsed"] = 85.0;
       }},
      {"atomic_contention", fault, 0.30,
       [](DiagnosisInput& input) {
         counters(input)["lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed"] = 2.0;
         counters(input)["lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed"] = 80.0;
       }},
      {"register_spills", fault, 0.7 * 0.3,
       [](DiagnosisInput& input) {
         counters(input)["spill_bytes"] = 128.0;
         counters(input)["smsp__inst_executed_op_local_ld.sum"] = 0.2 * 5e7;
         counters(input)["smsp__inst_executed_op_local_st.sum"] = 0.1 * 5e7;
       }},
      {"local_array", fault, 0.7 * 0.3,
       [](DiagnosisInput& input) {
         counters(input)["smsp__inst_executed_op_local_ld.sum"] = 0.2 * 5e7;
         counters(input)["smsp__inst_executed_op_local_st.sum"] = 0.1 * 5e7;
       }},
      {"shared_as_cache", fault, 0.8 * 2.0 / 3.0,
       [=](DiagnosisInput& input) {
         counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 1e7;
         counters(input)["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] = 0.95e7;
         counters(input)["smsp__inst_executed_op_global_ld.sum"] = 1e6;
         counters(input)["smsp__inst_executed_op_shared_st.sum"] = 1e6;
         counters(input)["smsp__inst_executed_op_shared_ld.sum"] = 1e6;
         counters(input)[l1] = 80.0;
       }},
      {"occupancy_by_registers", fault, 0.8, occupancy(200, 0, 128, 2, 0.125)},
      {"occupancy_by_shared_memory", fault, 0.8, occupancy(32, 100 * 1024, 128, 2, 0.125)},
      {"occupancy_by_block_size", fault, 1.0 - 44.0 / 64.0, occupancy(24, 0, 704, 2, 44.0 / 64.0)},
      {"occupancy_by_blocks", fault, 0.5, occupancy(16, 0, 32, 32, 0.5)},
      {"occupancy_suffices", limit, 0.0,
       [=](DiagnosisInput& input) {
         occupancy(200, 0, 128, 2, 0.125)(input);
         counters(input)["sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"] = 45.0;
         counters(input)[l1] = 85.0;
       }},
      {"short_blocks", fault, 0.3,
       [=](DiagnosisInput& input) {
         counters(input)[achieved] = 60.0;
         resources(input).blocks = 132 * 8 * 100;
       }},
      {"uneven_work", fault, 1.0 - 5e7 / (4.0 * 132 * 198e3),
       [=](DiagnosisInput& input) { counters(input)[achieved] = 40.0; }},
      {"partial_warp", fault, 31.0 / 64.0,
       [](DiagnosisInput& input) {
         resources(input).threads_per_block = 33;
         resources(input).blocks_per_sm = 32;
         counters(input)["smsp__thread_inst_executed_per_inst_executed.ratio"] = 16.5;
         counters(input)["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] = 16.0;
       }},
      {"divergence", fault, 0.75 * (1.0 - 6.0 * 0.7 / (0.95 * 16.0)),
       [](DiagnosisInput& input) {
         counters(input)["smsp__thread_inst_executed_per_inst_executed.ratio"] = 8.0;
         counters(input)["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] = 7.8;
       }},
      {"predication", fault, 0.5,
       [](DiagnosisInput& input) {
         counters(input)["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] = 16.0;
       }},
      {"latency_bound", fault, 1.0 - 1.0 / 4.2 - 0.024,
       [=](DiagnosisInput& input) {
         waits(input);
         counters(input)[stalled("long_scoreboard")] = 50.0;
       }},
      {"tail", fault, 0.30,
       [](DiagnosisInput& input) {
         resources(input).blocks = 132 * 8 + 66;
         counters(input)["sm__cycles_active.avg"] = 0.7 * 198e3;
       }},
      {"small_grid", fault, 0.6, [](DiagnosisInput& input) { resources(input).blocks = 33; }},
      {"launch_bound", fault, 2.8 / 5.3,
       [](DiagnosisInput& input) {
         input.measurement.time = {2500.0, 2400.0, 2600.0};
         counters(input)["dram__bytes.sum"] = 1e5;
       }},
      {"barrier_stalls", fault, 0.3,
       [=](DiagnosisInput& input) { counters(input)[stalled("barrier")] = 0.5 * 0.95 * 16.0 / 0.7; }},
      {"instruction_cache", fault, 0.25,
       [=](DiagnosisInput& input) {
         counters(input)[stalled("no_instruction")] = 0.25 * 0.95 * 16.0 / 0.7;
         counters(input)["sm__icc_requests_lookup_miss.sum"] = 1e6;
       }},
      {"compute_bound", limit, 0.05, [=](DiagnosisInput& input) { counters(input)[issue] = 95.0; }},
      {"double_precision", fault, 0.9 * 0.5,
       [](DiagnosisInput& input) {
         counters(input)["sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"] = 90.0;
       }},
      {"integer_division", fault, 0.7 * 0.4,
       [](DiagnosisInput& input) {
         counters(input)["smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"] = 0.04 * 32.0 * 5e7;
         counters(input)["smsp__sass_thread_inst_executed_op_integer_pred_on.sum"] = 0.6 * 32.0 * 5e7;
       }},
      {"transcendental_pipe", fault, 0.6,
       [](DiagnosisInput& input) {
         counters(input)["sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"] = 95.0;
       }},
      {"tensor_cores_idle", Severity::kHint, 0.0,
       [](DiagnosisInput& input) {
         input.work = {1e11, 1e8, {}};
         counters(input)["sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"] = 65.0;
       }},
  };
}

}  // namespace
}  // namespace warptune::profiling::diagnosis
