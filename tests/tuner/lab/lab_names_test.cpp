#include "tuner/lab/lab_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/counters/metrics.h"
#include "tests/tuner/lab_data.h"

namespace warptune::tuner::lab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The problems of the toy experiment with the first counter of its claim renamed.
std::vector<std::string> problems_with(const std::string& name) {
  std::string claims = testing::kToyClaims;
  const std::string counter = "speed.one.dram__bytes.sum";
  claims.replace(claims.find(counter), counter.size(), name);
  const testing::TemporaryFolder folder;
  return name_problems(plan_experiment(testing::toy_experiment(folder, claims), model::fictional_gpu()));
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
  for (const std::string& name : kernel_templates::shipped_experiments()) {
    const auto experiment = kernel_templates::load_experiment(kernel_templates::find_experiment(name));
    EXPECT_THAT(name_problems(plan_experiment(experiment, model::fictional_gpu())), IsEmpty()) << name;
  }
}

TEST(LabNames, ThatNoRowHasAreProblemsWithTheirPositions) {
  EXPECT_THAT(problems_with("speed.one.sm__foo"),
              ElementsAre(HasSubstr(": there is no number 'speed.one.sm__foo'")));
  EXPECT_THAT(problems_with("speed.one.tiem_ns"), ElementsAre(HasSubstr("'speed.one.tiem_ns'")));
  EXPECT_THAT(problems_with("gpu.sm_cuont"), ElementsAre(HasSubstr("'gpu.sm_cuont'")));
}

TEST(LabNames, OfCountersThatTheChipLacksAreProblems) {
  try {
    profiling::counters::require_cupti();
  } catch (const base::MachineError&) {
    GTEST_SKIP() << "CUPTI is missing";
  }
  EXPECT_THAT(problems_with("speed.one.sm__foo.sum"),
              ElementsAre(HasSubstr("the GPU has no such counter: 'speed.one.sm__foo.sum'")));
}

}  // namespace
}  // namespace warptune::tuner::lab
