#include "tuner/text_output/surveys/kernels_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "survey/analysis/survey_analysis.h"
#include "tests/survey/survey_builder.h"

namespace warptune::tuner::text_output::surveys {
namespace {

using survey::analysis::analyse;
using survey::records::Survey;
using ::testing::HasSubstr;
using ::testing::Not;

std::string table_of(const Survey& survey) { return kernels_table(survey, analyse(survey)); }

// Ten launches, and as much time of the host as `rest` says.
Survey survey_of(const std::string& kernel, std::int64_t rest = 0) {
  survey::SurveyBuilder program;
  for (int i = 0; i < 10; ++i) program.launch({kernel, 100 * survey::kMicrosecond});
  program.wait();
  program.host(rest);
  return program.survey();
}

TEST(KernelsTable, HasALineWithTheGeometryAndTheResourcesOfEachKernel) {
  Survey survey = survey_of("void scale<float>(float*, int)");
  const std::string text = table_of(survey);
  EXPECT_THAT(text, HasSubstr("share     time  launches  median  occupancy  if free  kernel\n"));
  EXPECT_THAT(text, HasSubstr("100 %  1.00 ms        10  100 us      100 %  "));
  EXPECT_THAT(text, HasSubstr("scale<float>\n    grid 4096, block 256, 32 registers, no shared memory\n"));
  survey.shapes[0].static_shared = 4096;
  EXPECT_THAT(table_of(survey), HasSubstr("32 registers, 4 KiB static shared memory\n"));
  survey.shapes[0].static_shared = 0;
  survey.shapes[0].dynamic_shared = 1000;
  EXPECT_THAT(table_of(survey), HasSubstr("32 registers, 1000 B dynamic shared memory\n"));
}

TEST(KernelsTable, SaysWhatLimitsTheOccupancy) {
  Survey survey = survey_of("void scale<float>(float*, int)");
  survey.shapes[0].registers = 255;
  survey.shapes[0].static_shared = 4096;
  survey.shapes[0].dynamic_shared = 160 * 1024;
  survey.shapes[0].local_bytes = 16;
  survey.shapes[0].cluster = {2, 1, 1};
  survey.shapes[0].grid = {64, 8, 1};
  EXPECT_THAT(table_of(survey),
              HasSubstr("    grid 64x8, block 256, cluster 2, 255 registers, 4 KiB static + 160 KiB dynamic "
                        "shared memory, 16 B local memory; occupancy limited by registers, shared memory\n"));
  survey.devices[0].gpu = {};
  EXPECT_THAT(table_of(survey), Not(HasSubstr("limited by"))) << "the limits of the GPU are unknown";
}

TEST(KernelsTable, KeepsWithin100Columns) {
  for (const bool dominates : {true, false}) {
    Survey survey = survey_of("void n::sum_of_a_rather_long_name<n::Functor<float>, 4, (n::Kind)1>(float*)",
                              dominates ? 0 : survey::kMillisecond * 1000);
    survey.shapes[0].static_shared = 48 * 1024;
    survey.shapes[0].registers = 168;
    const std::string text = table_of(survey);
    EXPECT_EQ(text.find("if free") != std::string::npos, dominates) << "no kernel has a bound of 1.01";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(KernelsTable, ListsNoMoreThanTenKernels) {
  survey::SurveyBuilder program;
  for (int i = 0; i < 12; ++i) program.launch({"void kernel" + std::to_string(i) + "(int)"});
  program.wait();
  EXPECT_THAT(table_of(program.survey()), HasSubstr("\n2 more kernels\n"));
  EXPECT_EQ(table_of({}), "");
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
