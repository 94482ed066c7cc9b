// Surveys of the planted programs of tests/survey/programs, recorded on an H200 by
// scripts/gpu-survey-programs. The largest recordings are left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey_file.h"

namespace warptune::survey::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(WARPTUNE_SOURCE_FOLDER) / "tests/survey";

fs::path recording_of(const std::string& program, const std::string& ending) {
  return kTests / "data/programs" / (program + "-" + ending + ".wtsurvey.zst");
}

// The finding that must come first for each program.
std::map<std::string, std::string> expected_findings() {
  std::ifstream file(kTests / "programs/expected.txt");
  std::map<std::string, std::string> expected;
  for (std::string program, finding; file >> program >> finding;) {
    if (program == "#")
      std::getline(file, finding);
    else
      expected[program] = finding;
  }
  return expected;
}

// The programs that have a recording with this ending.
std::vector<std::string> recorded(const std::string& ending) {
  std::vector<std::string> names;
  for (const auto& [program, finding] : expected_findings()) {
    if (fs::exists(recording_of(program, ending))) names.push_back(program);
  }
  return names;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& program) { return program.param; }

class PlantedProgramTest : public ::testing::TestWithParam<std::string> {};
class CleanProgramTest : public ::testing::TestWithParam<std::string> {};

TEST_P(PlantedProgramTest, HasTheFindingFirstThatWasPlanted) {
  const SurveyAnalysis analysis = analyse(records::read_survey(recording_of(GetParam(), "planted")));
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings[0].rule, expected_findings().at(GetParam()));
}

// Findings below 1.1 are allowed, and a program that computes well may have one long kernel.
TEST_P(CleanProgramTest, HasNothingToDo) {
  for (const Finding& finding : analyse(records::read_survey(recording_of(GetParam(), "clean"))).findings) {
    EXPECT_NE(finding.rule, expected_findings().at(GetParam()));
    EXPECT_TRUE(finding.bound < 1.1 || finding.rule == "slow_kernel") << finding.rule << " " << finding.bound;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, PlantedProgramTest, ::testing::ValuesIn(recorded("planted")), name_of);
INSTANTIATE_TEST_SUITE_P(Recorded, CleanProgramTest, ::testing::ValuesIn(recorded("clean")), name_of);

}  // namespace
}  // namespace warptune::survey::analysis
