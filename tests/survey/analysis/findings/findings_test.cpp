// Every finding on every imagined program: the planted fault is named first, and its sibling has none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "survey/analysis/findings/finding_rule.h"
#include "survey/analysis/survey_analysis.h"
#include "tests/survey/imagined_programs.h"

namespace warptune::survey::analysis::findings {
namespace {

std::string list_of(const SurveyAnalysis& analysis) {
  std::ostringstream text;
  for (const Finding& finding : analysis.findings) {
    text << finding.bound << " " << finding.rule << ": " << finding.title << "\n";
    for (const std::string& evidence : finding.evidence) text << "    " << evidence << "\n";
  }
  return text.str();
}

class PlantedFaults : public testing::TestWithParam<ImaginedProgram> {};

TEST_P(PlantedFaults, AreNamedFirstAndTheSiblingHasNoFinding) {
  const SurveyAnalysis planted = analyse(GetParam().run(true));
  ASSERT_FALSE(planted.findings.empty());
  EXPECT_EQ(planted.findings.front().rule, GetParam().fault) << list_of(planted);
  EXPECT_GT(planted.findings.front().bound, 1.25) << list_of(planted);
  EXPECT_FALSE(planted.findings.front().evidence.empty());
  const SurveyAnalysis clean = analyse(GetParam().run(false));
  EXPECT_TRUE(clean.findings.empty()) << list_of(clean);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults, testing::ValuesIn(imagined_programs()),
                         [](const auto& program) { return program.param.fault; });

TEST(FindingRules, EachHasAnImaginedProgram) {
  std::vector<std::string> rules;
  for (const FindingRule& rule : finding_rules()) rules.emplace_back(rule.info.id);
  std::vector<std::string> planted;
  for (const ImaginedProgram& program : imagined_programs()) planted.push_back(program.fault);
  EXPECT_THAT(planted, testing::UnorderedElementsAreArray(rules));
}

// The table that docs/survey.md must have between its two marks.
std::string documented_table() {
  std::ostringstream text;
  text << "| finding | when it is shown | bound | why | what to do | source |\n|---|---|---|---|---|---|\n";
  for (const FindingRule& rule : finding_rules()) {
    const FindingInfo& info = rule.info;
    text << "| `" << info.id << "` | " << info.trigger << " | " << info.bound << " | " << info.why << " | "
         << info.advice << " | " << info.source << " |\n";
  }
  return text.str();
}

TEST(DiagnosisRules, OfSurveysAreDocumentedAsTheyAre) {
  const std::string path = std::string(WARPTUNE_SOURCE_FOLDER) + "/docs/survey.md";
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  const std::string text = file.str();
  const std::string begin = "<!-- findings -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end of findings -->\n");
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t table = from + begin.size();
  if (std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path) << text.substr(0, table) << documented_table() << text.substr(to);
    return;
  }
  EXPECT_EQ(text.substr(table, to - table), documented_table())
      << "run the test with WARPTUNE_UPDATE_SNAPSHOTS=1 to update docs/survey.md";
}

}  // namespace
}  // namespace warptune::survey::analysis::findings
