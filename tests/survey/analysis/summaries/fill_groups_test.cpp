#include "survey/analysis/summaries/fill_groups.h"

#include <gtest/gtest.h>

namespace warptune::survey::analysis::summaries {
namespace {

using records::MemoryKind;
using records::Survey;

Survey survey_with_fills() {
  Survey survey;
  survey.names = {"step"};
  survey.processes.resize(1);
  survey.streams.resize(1);
  survey.fills = {{{{0, 100}, 0, records::kNone, 0}, 1000, MemoryKind::kPinned},
                  {{{200, 500}, 0, records::kNone, 0}, 6000, MemoryKind::kDevice},
                  {{{600, 700}, 0, records::kNone, 0}, 2000, MemoryKind::kDevice}};
  return survey;
}

TEST(FillGroups, SumUpTheFillsOfEachKindOfMemory) {
  const std::vector<FillGroup> groups = fill_groups(survey_with_fills());
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], (FillGroup{MemoryKind::kDevice, 2, 8000, 400, 20e9}));
  EXPECT_EQ(groups[1], (FillGroup{MemoryKind::kPinned, 1, 1000, 100, 10e9}));
}

TEST(FillGroups, HaveNoRateIfTheyTookNoTime) {
  Survey survey = survey_with_fills();
  survey.fills = {{{{5, 5}, 0, records::kNone, 0}, 1000, MemoryKind::kDevice}};
  EXPECT_FALSE(fill_groups(survey).at(0).bytes_per_s.has_value());
}

TEST(FillGroups, LeaveOutWhatWasNotGivenWithinTheRange) {
  Survey survey = survey_with_fills();
  survey.run.range = "step";
  survey.ranges = {{{150, 300}, 0, 1, 0}};
  const std::vector<FillGroup> groups = fill_groups(survey);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].bytes, 6000U);
}

}  // namespace
}  // namespace warptune::survey::analysis::summaries
