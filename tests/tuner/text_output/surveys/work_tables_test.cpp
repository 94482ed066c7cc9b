#include "tuner/text_output/surveys/work_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::text_output::surveys {
namespace {

using survey::analysis::SurveyAnalysis;
using survey::records::MemoryKind;
using ::testing::HasSubstr;

TEST(WorkTables, ShowTheRateOfCopiesAndFills) {
  const SurveyAnalysis analysis = analyse(survey::testing::synthetic_survey(4000));
  EXPECT_THAT(copies_table(analysis), HasSubstr("host to device  pinned  device  async    100  210 MB  "));
  SurveyAnalysis fills;
  fills.fills = {{MemoryKind::kDevice, 20, 20'000'000, 40'000, 500e9},
                 {MemoryKind::kManaged, 1, 0, 0, std::nullopt}};
  EXPECT_EQ(fills_table(fills),
            "\nFills\n"
            "fills of memory  count  bytes     time      rate\n"
            "---------------  -----  -----  -------  --------\n"
            "device              20  20 MB  40.0 us  500 GB/s\n"
            "managed              1    0 B  0.00 ns         -\n");
}

TEST(WorkTables, ShowTheGraphsWithMostTime) {
  const survey::records::Survey survey = survey::testing::small_survey();
  SurveyAnalysis analysis;
  analysis.graphs = {{0, 3, 100, 2000, 100, 0, 5'000'000}, {0, 4, 0, 1, 0, 1, 2'000}};
  EXPECT_EQ(graphs_table(survey, analysis),
            "\nCUDA graphs (kernels, copies and fills of all launches together)\n"
            "process  graph  launches  kernels  copies  fills  GPU time\n"
            "-------  -----  --------  -------  ------  -----  --------\n"
            "     77      3       100     2000     100      0   5.00 ms\n"
            "     77      4         -        1       0      1   2.00 us\n");
  analysis.graphs.assign(11, analysis.graphs.front());
  EXPECT_THAT(graphs_table(survey, analysis), HasSubstr("\n1 more graph\n"));
}

TEST(WorkTables, AreEmptyIfThereIsNothingOfThat) {
  EXPECT_EQ(copies_table({}), "");
  EXPECT_EQ(fills_table({}), "");
  EXPECT_EQ(graphs_table({}, {}), "");
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
