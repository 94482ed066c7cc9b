#include "tuner/lab/lab_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/counters/metrics.h"
#include "tests/sanitizers.h"
#include "tests/tuner/lab_data.h"

namespace warptune::tuner::lab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The toy experiment with the first counter of its claim renamed.
LabPlan plan_with(const std::string& name) {
  std::string claims = testing::kToyClaims;
  const std::string counter = "speed.one.dram__bytes.sum";
  claims.replace(claims.find(counter), counter.size(), name);
  const testing::TemporaryFolder folder;
  return plan_experiment(testing::toy_experiment(folder, claims), model::fictional_gpu());
}

std::vector<std::string> problems_with(const std::string& name) { return name_problems(plan_with(name), {}); }

LabPlan plan_of_shipped(const std::string& name) {
  return plan_experiment(kernel_templates::load_experiment(kernel_templates::find_experiment(name)),
                         model::fictional_gpu());
}

TEST(LabNames, OfCountersAreCollected) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(metrics_named_in(testing::toy_experiment(folder)), Contains("dram__bytes.sum"));
}

TEST(LabNames, ThatARowHasAreNoProblem) {
  for (const char* name :
       {"speed.one.dram__bytes.sum", "speed.one.time_low_ns", "speed.one.A", "gpu.sm_count",
        "speed.one.error_max_ulp", "speed.one.fp32_operations", "roofs.copy_bytes_per_s"})
    EXPECT_THAT(problems_with(name), IsEmpty()) << name;
}

TEST(LabNames, OfShippedExperimentsAreAllKnown) {
  for (const std::string& name : kernel_templates::shipped_experiments())
    EXPECT_THAT(name_problems(plan_of_shipped(name), {}), IsEmpty()) << name;
}

TEST(LabNames, ThatNoRowHasAreProblemsWithTheirPositions) {
  EXPECT_THAT(problems_with("speed.one.sm__foo"),
              ElementsAre(HasSubstr(": there is no number 'speed.one.sm__foo'")));
  EXPECT_THAT(problems_with("speed.one.tiem_ns"), ElementsAre(HasSubstr("'speed.one.tiem_ns'")));
  EXPECT_THAT(problems_with("gpu.sm_cuont"), ElementsAre(HasSubstr("'gpu.sm_cuont'")));
}

TEST(LabNames, OfMissingCountersAreProblems) {
  EXPECT_THAT(name_problems(plan_with("speed.one.sm__foo.sum"), {"sm__foo.sum"}),
              ElementsAre(HasSubstr("the GPU has no such counter: 'speed.one.sm__foo.sum'")));
}

TEST(LabNames, OfCountersAreLookedUpForTheChip) {
  if (tests::kAddressSanitizer) GTEST_SKIP() << "CUPTI's host library does not load under it";
  try {
    profiling::counters::require_cupti();
  } catch (const base::MachineError&) {
    GTEST_SKIP() << "CUPTI is missing";
  }
  EXPECT_THAT(missing_counters(plan_with("speed.one.sm__foo.sum")), ElementsAre("sm__foo.sum"));
  for (const std::string& name : kernel_templates::shipped_experiments())
    EXPECT_THAT(missing_counters(plan_of_shipped(name)), IsEmpty()) << name;
}

}  // namespace
}  // namespace warptune::tuner::lab
