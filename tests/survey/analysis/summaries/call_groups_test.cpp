#include "survey/analysis/summaries/call_groups.h"

#include <gtest/gtest.h>

#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis::summaries {
namespace {

using records::CallKind;
using records::Survey;

TEST(CallGroups, SumUpTheCallsOfEachFunction) {
  SurveyBuilder program;
  program.call(CallKind::kAllocation, "cudaMalloc", 100 * kMicrosecond);
  program.call(CallKind::kAllocation, "cudaMalloc", 300 * kMicrosecond);
  program.launch({"void a(int)", 700 * kMicrosecond});
  program.wait();
  program.call(CallKind::kFree, "cudaFree", 20 * kMicrosecond);
  const Survey survey = program.survey();
  const std::vector<CallGroup> groups = call_groups(survey);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(survey.names[groups[0].name], "cudaDeviceSynchronize");
  EXPECT_EQ(groups[0].kind, CallKind::kWait);
  EXPECT_GT(groups[0].time.total, 700 * kMicrosecond);
  EXPECT_EQ(survey.names[groups[1].name], "cudaMalloc");
  EXPECT_EQ(groups[1].kind, CallKind::kAllocation);
  EXPECT_EQ(groups[1].count, 2);
  EXPECT_EQ(groups[1].time, (DurationSummary{400 * kMicrosecond, 100 * kMicrosecond, 300 * kMicrosecond}));
  EXPECT_EQ(survey.names[groups[2].name], "cudaFree");
  EXPECT_EQ(groups[3].kind, CallKind::kLaunch);
}

TEST(CallGroups, LeaveOutCallsThatBeganOutsideOfTheRange) {
  Survey survey;
  survey.names = {"cudaMalloc", "step"};
  survey.processes.resize(2);
  survey.run.range = "step";
  survey.ranges = {{{100, 200}, 0, 1, 1}};
  survey.calls = {{{50, 150}, 0, 1, 0, CallKind::kAllocation},
                  {{150, 250}, 0, 2, 0, CallKind::kAllocation},
                  {{160, 170}, 1, 3, 0, CallKind::kAllocation}};
  const std::vector<CallGroup> groups = call_groups(survey);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].count, 1) << "the second: the third is of another process";
}

}  // namespace
}  // namespace warptune::survey::analysis::summaries
