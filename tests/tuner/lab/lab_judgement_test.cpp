// The lab plans an experiment, judges it and writes its page. The numbers are made up.

#include "tuner/lab/lab_judgement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "tests/kernel_templates/definitions.h"
#include "tests/tuner/lab_data.h"
#include "tuner/lab/lab_page.h"
#include "tuner/lab/lab_report.h"
#include "tuner/lab/lab_tables.h"

namespace warptune::tuner::lab {
namespace {

using kernel_templates::Experiment;
using kernel_templates::with;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kToyClaims;
using ::testing::Not;

class LabTest : public ::testing::Test {
 protected:
  JudgedClaim claim_of(const std::string& claims, double one_ns, double spread = 0.01) {
    experiment_ = testing::toy_experiment(folder_, claims);
    result_ = testing::toy_lab_result(experiment_, one_ns, spread);
    judgement_ = judge(result_);
    return judgement_.claims.front();
  }

  testing::TemporaryFolder folder_;
  Experiment experiment_;
  LabResult result_;
  LabJudgement judgement_;
};

TEST_F(LabTest, PlansEachConfigurationOnceInASessionOfItsKernelAndProblem) {
  const LabPlan plan = plan_experiment(testing::toy_experiment(folder_), model::fictional_gpu());
  ASSERT_EQ(plan.sessions.size(), 1U);
  std::vector<std::string> configurations;
  for (const auto& values : plan.sessions[0].configurations) configurations.push_back(model::to_text(values));
  EXPECT_THAT(configurations, ElementsAre("A=1 B=false", "A=2 B=true", "A=3 B=false", "A=4 B=true"));
  EXPECT_THAT(plan.sessions[0].metrics, ::testing::Contains("dram__bytes.sum"));
  EXPECT_EQ(plan.rows[0][3].candidates.size(), 2U);
}

TEST_F(LabTest, ASweepMayGoOverAProblemEntry) {
  testing::write_toy_kernel(folder_);
  std::ofstream(folder_ / "toy_lab.toml")
      << kernel_templates::with(testing::toy_experiment_text(testing::kToyClaims), "[[table.column]]",
                                "[[table.sweep]]\nset = { N = [64, 128] }\n[[table.column]]");
  const LabPlan plan =
      plan_experiment(kernel_templates::load_experiment(folder_ / "toy_lab.toml"), model::fictional_gpu());
  ASSERT_EQ(plan.sessions.size(), 3U);
  EXPECT_EQ(plan.sessions[2].name, "speed-3");
  EXPECT_EQ(model::to_text(plan.sessions[2].instance->problem()), "N=128");
}

TEST_F(LabTest, AddsTheCountersThatExpressionsName) {
  const LabPlan plan = plan_experiment(
      testing::toy_experiment(
          folder_, kernel_templates::with(testing::kToyClaims, "values = [\"speed.one.dram__bytes.sum\"",
                                          "values = [\"speed.one.smsp__odd.sum\"")),
      model::fictional_gpu());
  EXPECT_THAT(plan.sessions[0].metrics, ::testing::Contains("smsp__odd.sum"));
}

TEST_F(LabTest, RefusesARowOutsideItsSpaceAtItsPlace) {
  testing::write_toy_kernel(folder_);
  std::ofstream(folder_ / "toy_lab.toml") << kernel_templates::with(
      testing::toy_experiment_text(testing::kToyClaims), "set = { A = 3 }", "set = { A = 5 }");
  const Experiment experiment = kernel_templates::load_experiment(folder_ / "toy_lab.toml");
  try {
    plan_experiment(experiment, model::fictional_gpu());
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.message(), AllOf(HasSubstr("row three of table speed"), HasSubstr("A")));
    EXPECT_EQ(error.position().line, 18);
  }
}

TEST_F(LabTest, AKernelThatTheGpuLeavesNothingOfIsRefusedWithTheReason) {
  const Experiment experiment = testing::toy_experiment(folder_);
  const std::string kernel = base::read_file(folder_ / "toy.cu");
  std::ofstream(folder_ / "toy.cu") << kernel_templates::with(
      kernel, "[default]", "[constraints]\nlist = [\"device_compute_capability >= 90\"]\n[default]");
  model::GpuDescription old_gpu = model::fictional_gpu();
  old_gpu.compute_major = 7;
  LabPlan plan = plan_experiment(experiment, old_gpu);
  EXPECT_TRUE(plan.sessions.empty());
  EXPECT_THAT(plan.rows[0][0].refusal,
              HasSubstr("no configuration meets the constraint 'device_compute_capability >= 90'"));
  const LabResult result = lab_result(std::move(plan), {});
  const LabJudgement judgement = judge(result);
  EXPECT_EQ(judgement.count(LabVerdict::kUnknown), 1U);
  EXPECT_THAT(lab_text(result, judgement, 100), HasSubstr("UNDETERMINED"));
  EXPECT_EQ(lab_page(result, judgement).size(), 1U);
}

TEST_F(LabTest, AClaimThatIsMetHolds) {
  const JudgedClaim claim = claim_of(testing::kToyClaims, 2000.0);
  EXPECT_EQ(claim.verdict, LabVerdict::kHolds);
  EXPECT_DOUBLE_EQ(claim.value, 2.0);
  EXPECT_LT(claim.low, 2.0);
  EXPECT_GT(claim.high, 2.0);
  EXPECT_GT(claim.low, 1.97);
  EXPECT_LT(claim.high, 2.03);
  EXPECT_TRUE(claim.is_certain);
  EXPECT_EQ(claim.because, "Yes: 2.000.");
  EXPECT_EQ(evidence_text(claim.evidence.front()), "DRAM bytes: 8192 (one), 4096 (two)");
}

TEST_F(LabTest, AClaimThatIsMetInPartHoldsWeaker) {
  const JudgedClaim claim = claim_of(testing::kToyClaims, 1500.0);
  EXPECT_EQ(claim.verdict, LabVerdict::kPartial);
  EXPECT_EQ(claim.because, "Hardly: 1.50.");
}

TEST_F(LabTest, AClaimThatIsNotMetDoesNotHold) {
  EXPECT_EQ(claim_of(testing::kToyClaims, 1000.0).verdict, LabVerdict::kFails);
  EXPECT_EQ(claim_of(kernel_templates::with(testing::kToyClaims, "weaker = \"value >= 1.2\"\n", ""), 1500.0)
                .verdict,
            LabVerdict::kFails);
}

TEST_F(LabTest, SaysWhenTheIntervalReachesOverTheLimit) {
  EXPECT_FALSE(claim_of(testing::kToyClaims, 1901.0, 0.2).is_certain);
  EXPECT_THAT(lab_text(result_, judgement_, 100), HasSubstr("the interval also contains"));
}

TEST_F(LabTest, AClaimOverARowThatFailedCannotBeTold) {
  const JudgedClaim claim = claim_of(kernel_templates::with(testing::kToyClaims, "gain = \"speed.one.time_ns",
                                                            "gain = \"speed.three.time_ns"),
                                     2000.0);
  EXPECT_EQ(claim.verdict, LabVerdict::kUnknown);
  EXPECT_THAT(claim.because, AllOf(HasSubstr("speed.three was not measured"), HasSubstr("expected 2")));
}

TEST_F(LabTest, AMetricThatWasNotReadCannotBeTold) {
  const JudgedClaim claim = claim_of(
      kernel_templates::with(testing::kToyClaims, "value = \"gain\"", "value = \"speed.one.sm__odd.sum\""),
      2000.0);
  EXPECT_EQ(claim.verdict, LabVerdict::kUnknown);
  EXPECT_EQ(claim.because, "speed.one has no sm__odd.sum");
}

TEST_F(LabTest, ShowsNoIntervalWhereNoTimeIsInTheValue) {
  const JudgedClaim claim = claim_of(
      kernel_templates::with(testing::kToyClaims, "value = \"gain\"", "value = \"speed.one.registers\""),
      2000.0);
  EXPECT_EQ(claim_value_text(claim), "16 x");
  EXPECT_THAT(claim_value_text(claim_of(testing::kToyClaims, 2000.0)), HasSubstr("2 x (95 % interval: 1.9"));
}

TEST_F(LabTest, SaysWhatAValueWasMeasuredWith) {
  claim_of(kernel_templates::with(testing::kToyClaims, "unit = \"x\"\n",
                                  "unit = \"x as fast as A\"\nmeasured = \"with B\"\n"),
           2000.0);
  EXPECT_THAT(lab_page(result_, judgement_)[0].second, HasSubstr("Measured with B: 2 x as fast as A (95 %"));
  EXPECT_THAT(lab_text(result_, judgement_, 100),
              HasSubstr("HOLDS: measured with B: 2 x as fast as A (95 %"));
}

TEST_F(LabTest, ACounterThatIsNoNumberIsNotKnown) {
  experiment_ = testing::toy_experiment(folder_);
  result_ = testing::toy_lab_result(experiment_);
  result_.rows[0][0].measurement->counters["dram__bytes.sum"] = std::nan("");
  EXPECT_FALSE(judge(result_).claims.front().evidence.front().values.front().has_value());
}

TEST_F(LabTest, DividesWholeNumbersAsReals) {
  EXPECT_DOUBLE_EQ(claim_of(kernel_templates::with(testing::kToyClaims, "value = \"gain\"",
                                                   "value = \"speed.one.N / 1000\""),
                            2000.0)
                       .value,
                   1.024);
}

TEST_F(LabTest, ATunedRowIsItsFastest) {
  claim_of(testing::kToyClaims, 2000.0);
  ASSERT_TRUE(result_.rows[0][3].measurement.has_value());
  EXPECT_EQ(model::to_text(result_.rows[0][3].measurement->configuration), "A=2 B=true");
}

TEST_F(LabTest, ComparesCountersWithTheory) {
  claim_of(testing::kToyClaims, 2000.0);
  ASSERT_EQ(judgement_.theory.size(), 1U);
  EXPECT_TRUE(judgement_.theory[0].within);
  claim_of(kernel_templates::with(testing::kToyClaims, "expected = \"0.5\"", "expected = \"0.52\""), 2000.0);
  EXPECT_FALSE(judgement_.theory[0].within);
  EXPECT_EQ(judgement_.theory_within(), 0U);
  EXPECT_EQ(theory_cells(judgement_).rows[0].back(), "OUTSIDE");
}

TEST_F(LabTest, TheTableShowsTimesRatiosColumnsAndFailures) {
  claim_of(testing::kToyClaims, 2000.0);
  const LabTable cells = table_cells(result_, LabNumbers(result_), 0);
  EXPECT_THAT(cells.heading, ElementsAre("row", "time, us", "relative time", "GB/s", "`profile` finds"));
  EXPECT_EQ(cells.rows[0][0], "as written");
  EXPECT_THAT(cells.rows[0][1], HasSubstr("2.000 (1.99"));
  EXPECT_EQ(cells.rows[1][0], "two (with B)");
  EXPECT_EQ(cells.rows[1][2], "0.500");
  EXPECT_EQ(cells.rows[1][3], "8.2");
  EXPECT_EQ(cells.rows[2][1], "not measured: wrong_result: x[0] is 3, expected 2");
}

TEST_F(LabTest, ThePageHasClaimVerdictEvidenceTablesAndTheory) {
  claim_of(testing::kToyClaims, 2000.0);
  const std::vector<LabFile> files = lab_page(result_, judgement_);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].first, "toy_lab.md");
  EXPECT_THAT(
      files[0].second,
      AllOf(HasSubstr("# A toy"), HasSubstr("Claims: 1 holds."), HasSubstr("### 1. B doubles the speed"),
            HasSubstr("**Holds.** Measured: 2 x (95 % interval: 1.9"),
            HasSubstr(
                "Expected: 2. The claim holds if the measured value is at least 1.9, and partially holds if "
                "it is at least 1.2."),
            HasSubstr("Yes: 2.000."), HasSubstr("- DRAM bytes: 8192 (one), 4096 (two)"),
            HasSubstr("| as written | 2.000"),
            HasSubstr("| bytes halve | dram__bytes.sum | 0.500 | 0.500 | 0.00 % | 2 % | within |"),
            HasSubstr("- A book")));
}

TEST_F(LabTest, ThePageWritesConditionsInWords) {
  const auto page = [&](const std::string& holds) {
    claim_of(kernel_templates::with(testing::kToyClaims, "value >= 1.9", holds), 2000.0);
    return lab_page(result_, judgement_).front().second;
  };
  EXPECT_THAT(page("abs(value - 2) <= 0.1"), HasSubstr("value is within 0.1 of 2, and"));
  EXPECT_THAT(page("value > 1.8 && value <= 2.2"), HasSubstr("value is more than 1.8 and at most 2.2, and"));
  EXPECT_THAT(page("value * value >= 3"), HasSubstr("value is such that `value * value >= 3`, and"));
  EXPECT_THAT(page("value >= 1.9 * 1.0"), HasSubstr("value is such that `value >= 1.9 * 1.0`, and"));
}

TEST_F(LabTest, DrawsAChartWithItsLines) {
  claim_of(testing::kToyClaims + R"toml([[chart]]
title = "Time by registers"
x = { title = "A", value = "A" }
y = { title = "ns", value = "time_ns", scale = "log" }
series = [ { title = "measured", table = "speed" } ]
lines = [ { title = "a line", value = "1000 + x * gpu.sm_count" } ]
)toml",
           2000.0);
  const std::vector<LabFile> files = lab_page(result_, judgement_);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].first, "toy_lab-1.svg");
  EXPECT_THAT(files[1].second,
              AllOf(HasSubstr("Time by registers"), HasSubstr("a line"), HasSubstr("measured")));
  EXPECT_THAT(files[0].second, HasSubstr("![Time by registers](toy_lab-1.svg)"));
}

TEST_F(LabTest, DrawsNoLineThroughPointsOfEqualX) {
  const auto chart = [](const std::string& x) {
    return testing::kToyClaims + fmt::format(R"toml([[chart]]
title = "Times"
x = {{ title = "x", value = "{}" }}
y = {{ title = "ns", value = "time_ns" }}
series = [ {{ title = "measured", table = "speed" }} ]
)toml",
                                             x);
  };
  claim_of(chart("time_ns"), 2000.0);
  EXPECT_THAT(lab_page(result_, judgement_).at(1).second, HasSubstr("<polyline"));
  claim_of(chart("7"), 2000.0);
  EXPECT_THAT(lab_page(result_, judgement_).at(1).second, Not(HasSubstr("<polyline")));
}

TEST_F(LabTest, RecordsAndReadsAgain) {
  claim_of(testing::kToyClaims, 2000.0);
  std::filesystem::create_directory(folder_ / "run");
  write_lab_result(result_, folder_ / "run");
  const LabResult again = read_lab_result(experiment_, folder_ / "run");
  EXPECT_EQ(lab_page(again, judge(again)), lab_page(result_, judgement_));
}

TEST_F(LabTest, RefusesARunOfAnotherVersionOfTheKernel) {
  claim_of(testing::kToyClaims, 2000.0);
  std::filesystem::create_directory(folder_ / "run");
  write_lab_result(result_, folder_ / "run");
  testing::write_toy_kernel(folder_, 5);
  try {
    read_lab_result(experiment_, folder_ / "run");
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.message(), AllOf(HasSubstr("another version of toy.cu"), HasSubstr("--record")));
  }
}

TEST_F(LabTest, ARunThatIsNotThereIsNamed) {
  const Experiment experiment = testing::toy_experiment(folder_);
  EXPECT_THROW(read_lab_result(experiment, folder_ / "nothing"), base::InputError);
}

TEST(LabNumberTest, HasThreeDigitsOrAllOfAWholeNumber) {
  EXPECT_EQ(lab_number(0.0), "0");
  EXPECT_EQ(lab_number(31.0), "31");
  EXPECT_EQ(lab_number(3.14159), "3.14");
  EXPECT_EQ(lab_number(0.012345), "0.0123");
  EXPECT_EQ(lab_number(12345.6), "12346");
  EXPECT_EQ(lab_number(4.28e12), "4.28e+12");
  EXPECT_EQ(lab_number(2.0 / 3.0, 1), "0.7");
  EXPECT_EQ(lab_number(1.0 / 0.0), "-");
}

}  // namespace
}  // namespace warptune::tuner::lab
