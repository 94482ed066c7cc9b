#include "tuner/text_output/surveys/host_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "survey/analysis/survey_analysis.h"

namespace warptune::tuner::text_output::surveys {
namespace {

using survey::analysis::SurveyAnalysis;
using survey::records::CallKind;
using survey::records::Survey;
using ::testing::HasSubstr;

Survey survey_with_names() {
  Survey survey;
  survey.names = {"cudaDeviceSynchronize", "cudaMalloc", "step\nand more", std::string(60, 'x')};
  return survey;
}

TEST(HostTables, ShowTheCallsOfEachFunction) {
  const Survey survey = survey_with_names();
  SurveyAnalysis analysis;
  analysis.calls = {{0, CallKind::kWait, 30, {9'000'000, 300'000, 900'000}},
                    {1, CallKind::kAllocation, 2, {50'000, 20'000, 30'000}}};
  EXPECT_EQ(calls_table(survey, analysis),
            "\nCalls of CUDA (time of the host's threads)\n"
            "purpose     calls     time   median  longest  call\n"
            "----------  -----  -------  -------  -------  ---------------------\n"
            "wait           30  9.00 ms   300 us   900 us  cudaDeviceSynchronize\n"
            "allocation      2  50.0 us  20.0 us  30.0 us  cudaMalloc\n");
  analysis.calls.assign(12, analysis.calls.front());
  EXPECT_THAT(calls_table(survey, analysis), HasSubstr("\n2 more functions\n"));
}

TEST(HostTables, ShowWhatTheGpuDidInRanges) {
  const Survey survey = survey_with_names();
  SurveyAnalysis analysis;
  analysis.ranges = {{2, 10, {4'000'000, 300'000, 900'000}, 4'000'000, 1'000'000, 70, 1'200'000},
                     {3, 1, {1'000, 1'000, 1'000}, 0, 0, 0, 0}};
  const std::string text = ranges_table(survey, analysis);
  EXPECT_THAT(text, HasSubstr("ranges     time   median  longest  GPU busy  launches  GPU work  range\n"));
  EXPECT_THAT(
      text, HasSubstr("    10  4.00 ms   300 us   900 us      25 %        70   1.20 ms  step\\nand more\n"));
  EXPECT_THAT(text, HasSubstr("         -         0   0.00 ns  " + std::string(33, 'x') + "...\n"))
      << "the range was not observed";
  analysis.ranges.assign(11, analysis.ranges.front());
  EXPECT_THAT(ranges_table(survey, analysis), HasSubstr("\n1 more name\n"));
}

TEST(HostTables, AreEmptyIfThereIsNothingOfThat) {
  EXPECT_EQ(calls_table({}, {}), "");
  EXPECT_EQ(ranges_table({}, {}), "");
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
