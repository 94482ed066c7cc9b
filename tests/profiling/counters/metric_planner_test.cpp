#include "profiling/counters/metric_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "profiling/counters/derived_metrics.h"
#include "profiling/counters/metrics.h"
#include "tests/sanitizers.h"

namespace warptune::profiling::counters {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A metric that CUPTI 13.0 describes for GH100, but refuses to schedule.
const std::string kUnschedulable = "ctc__rx_cycles_active.avg.per_cycle_active";

/// CUPTI loads its host library with RTLD_DEEPBIND. The address sanitizer ends the process then.
class CuptiHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tests::kAddressSanitizer) GTEST_SKIP() << "the address sanitizer does not allow CUPTI's host library";
  }
};

class ChipTest : public CuptiHostTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ChipTest, HasEveryMetricOfTheCatalogue) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) names.emplace_back(metric.name);
  std::vector<std::string> lacking;
  if (GetParam() != "GH100")  // The first chip with warpgroup matrix multiplications.
    lacking.emplace_back("smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio");
  EXPECT_EQ(plan_passes(GetParam(), names).unknown, lacking);
}

TEST_P(ChipTest, ReadsTheFullSetInTwelvePasses) {
  EXPECT_LE(plan_passes(GetParam(), full_metrics()).passes, 12U);
}

TEST_P(ChipTest, ReadsTheCoreSetInOnePass) {
  const PassPlan plan = plan_passes(GetParam(), core_metrics());
  EXPECT_EQ(plan.passes, 1U);
  EXPECT_THAT(plan.unknown, IsEmpty());
  EXPECT_EQ(fit_one_pass(GetParam(), core_metrics()), core_metrics());
}

INSTANTIATE_TEST_SUITE_P(Chips, ChipTest, ::testing::Values("GA100", "GA102", "AD102", "GH100"),
                         [](const auto& chip) { return chip.param; });

using PassPlannerTest = CuptiHostTest;

TEST_F(PassPlannerTest, FitsSomeCoreMetricsIntoOnePassOnEveryChipThatHasAny) {
  for (const std::string& chip : supported_chips()) {
    const std::vector<std::string> fitting = fit_one_pass(chip, core_metrics());
    if (plan_passes(chip, core_metrics()).unknown.size() == core_metrics().size()) {
      EXPECT_THAT(fitting, IsEmpty()) << chip;
      continue;
    }
    EXPECT_THAT(fitting, ::testing::Contains(core_metrics().front())) << chip;
    EXPECT_EQ(plan_passes(chip, fitting).passes, 1U) << chip;
  }
}

TEST_F(PassPlannerTest, NamesUnknownMetricsAndPlansTheRest) {
  const PassPlan plan =
      plan_passes("GH100", {"dram__bytes.sum", "no__such_metric.sum", "gpu__time_duration.sum"});
  EXPECT_THAT(plan.unknown, ElementsAre("no__such_metric.sum"));
  EXPECT_EQ(plan.passes, 1U);
}

TEST_F(PassPlannerTest, TakesMoreThanOnePassForThroughputBreakdowns) {
  EXPECT_GT(plan_passes("GH100", {"sm__throughput.avg.pct_of_peak_sustained_elapsed"}).passes, 1U);
}

TEST_F(PassPlannerTest, PlansDerivedMetricsByWhatTheyAreComputedFrom) {
  const PassPlan plan = plan_passes("GH100", {"shared_bank_conflicts_per_access"});
  EXPECT_THAT(plan.unknown, IsEmpty());
  EXPECT_EQ(plan.passes, 1U);
}

TEST_F(PassPlannerTest, FindsTheOneOfManyThatIsDescribedButCannotBeScheduled) {
  std::vector<std::string> names = core_metrics();
  names.insert(names.begin() + 3, kUnschedulable);
  names.emplace_back("dram__bytes");  // Its roll-up is missing.
  ASSERT_TRUE(ProfilerHost("GH100").describes(kUnschedulable));
  EXPECT_EQ(known_metrics("GH100", names), core_metrics());
  const PassPlan plan = plan_passes("GH100", names);
  EXPECT_THAT(plan.unknown, ElementsAre(kUnschedulable, "dram__bytes"));
  EXPECT_EQ(plan.passes, 1U);
}

TEST_F(PassPlannerTest, AsksEachChipAnew) {
  const std::string only_on_hopper = "sm__inst_executed_pipe_tensor_op_gmma.sum";
  EXPECT_TRUE(has_metric("GH100", only_on_hopper));
  EXPECT_FALSE(has_metric("TU102", only_on_hopper));
}

TEST_F(PassPlannerTest, OrdersMetricsSoThatTheyTakeFewerPassesThanAsGiven) {
  const std::vector<std::string> given = full_metrics();
  for (const char* chip : {"GH100", "TU102"}) {
    const std::vector<std::string> known = known_metrics(chip, expand_derived_metrics(given));
    const MetricPlan plan = plan_metrics(chip, given);
    EXPECT_THAT(plan.metrics, ::testing::UnorderedElementsAreArray(known)) << chip;
    EXPECT_LT(plan.passes, count_passes(chip, known)) << chip;
    EXPECT_EQ(plan.passes, count_passes(chip, plan.metrics)) << chip;
    EXPECT_EQ(plan.metrics, plan_metrics(chip, given).metrics) << chip;
  }
}

TEST_F(PassPlannerTest, TakesNoMorePassesInOneImageThanInTwoOfTheSameMetrics) {
  const std::vector<std::string> names = {
      "sm__throughput.avg.pct_of_peak_sustained_elapsed", "lts__throughput.avg.pct_of_peak_sustained_elapsed",
      "l1tex__throughput.avg.pct_of_peak_sustained_active", "lts__t_sector_hit_rate.pct"};
  for (const char* chip : {"GH100", "GA100", "AD102", "TU102", "GB100"}) {
    const std::size_t together = plan_metrics(chip, names).passes;
    for (std::size_t cut = 1; cut < names.size(); ++cut) {
      const auto middle = names.begin() + static_cast<std::ptrdiff_t>(cut);
      EXPECT_LE(together, plan_passes(chip, {names.begin(), middle}).passes +
                              plan_passes(chip, {middle, names.end()}).passes)
          << chip << ' ' << cut;
    }
  }
}

TEST_F(PassPlannerTest, ChoosesTheCoreSetWhereNothingIsAskedFor) {
  const MetricChoice choice = choose_metrics("GH100", {});
  EXPECT_EQ(choice.metrics, core_metrics());
  EXPECT_EQ(choice.passes, 1U);
  EXPECT_THAT(choice.warnings, IsEmpty());
}

TEST_F(PassPlannerTest, SaysWhatOfTheCoreSetAChipCannotReadInOnePass) {
  const MetricChoice choice = choose_metrics("TU102", {});
  EXPECT_EQ(choice.passes, 1U);
  EXPECT_LT(choice.metrics.size(), core_metrics().size());
  EXPECT_EQ(choice.warnings.size(), core_metrics().size() - choice.metrics.size());
  EXPECT_THAT(choice.warnings, Each(HasSubstr("would take a second pass on TU102")));
}

TEST_F(PassPlannerTest, ChoosesWhatTheChipHasAndNamesTheRest) {
  const MetricChoice choice = choose_metrics("GH100", {"dram__byte.sum", "shared_bank_conflicts_per_access"});
  EXPECT_THAT(choice.metrics, ElementsAre("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                                          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"));
  EXPECT_EQ(choice.passes, 1U);
  ASSERT_EQ(choice.warnings.size(), 1U);
  EXPECT_THAT(choice.warnings[0],
              AllOf(HasSubstr("GH100 has no metric dram__byte.sum"), HasSubstr("dram__bytes.sum")));
}

TEST_F(PassPlannerTest, NamesTheNearestChipsForAnUnknownOne) {
  try {
    plan_passes("GH1000", core_metrics());
    FAIL() << "an unknown chip was planned";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("GH100"));
  }
}

}  // namespace
}  // namespace warptune::profiling::counters
