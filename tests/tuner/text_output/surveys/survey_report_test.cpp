#include "tuner/text_output/surveys/survey_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "survey/analysis/survey_analysis.h"
#include "tests/survey/imagined_programs.h"
#include "tests/survey/survey_builder.h"
#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::text_output::surveys {
namespace {

using survey::analysis::analyse;
using survey::analysis::ChangeKind;
using survey::records::Survey;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Survey imagined(const std::string& fault, bool planted) {
  for (const survey::ImaginedProgram& program : survey::imagined_programs()) {
    if (program.fault == fault) return program.run(planted);
  }
  ADD_FAILURE() << fault;
  return {};
}

std::string report_of(const Survey& survey) { return survey_report(survey, analyse(survey)); }

TEST(SurveyReport, SaysWhyTheGpuIsIdleAndWhatToDoFirst) {
  const std::string text = report_of(imagined("host_waits", true));
  EXPECT_THAT(text, HasSubstr("./app\n"));
  EXPECT_THAT(text, HasSubstr("exit code 0; 1 process; 300 launches, "));
  EXPECT_THAT(text, HasSubstr(": busy 63 % (kernels 63 %, only copies 0 %), idle 37 %\n"));
  EXPECT_THAT(text, HasSubstr("why idle: the host waited for the GPU 21 %; launching 16 %"));
  EXPECT_THAT(text, HasSubstr("  1. up to 1.5"));
  EXPECT_THAT(text, HasSubstr("[host_waits]\n       seen: idle for "));
  EXPECT_THAT(text, HasSubstr("Wait only where the host reads a result."));
  EXPECT_THAT(text, HasSubstr("  first\n"));
  EXPECT_THAT(text, Not(HasSubstr("Copies\n")));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40) << "one screen";
}

TEST(SurveyReport, ShowsCopiesWithTheirRateAndWhatCouldOverlap) {
  const std::string text = report_of(imagined("copy_bound", true));
  EXPECT_THAT(text, HasSubstr("of copies beside kernels"));
  EXPECT_THAT(text, HasSubstr("host to device  pinned  device  async"));
  EXPECT_THAT(text, HasSubstr("50 GB/s"));
  EXPECT_THAT(text, HasSubstr("host link: 63 GB/s in each direction by theory"));
  survey::analysis::AnalysisOptions measured;
  measured.host_link_bytes_per_s = 55e9;
  const Survey survey = imagined("copy_bound", true);
  EXPECT_THAT(survey_report(survey, analyse(survey, measured)),
              HasSubstr("host link: 55 GB/s in each direction as measured by devices --measure-roofs\n"));
}

// A start-up of 30 ms, then steps of 100 us with 100 us of other work between them.
Survey survey_with_a_start_up() {
  survey::SurveyBuilder program;
  program.host(30 * survey::kMillisecond);
  for (int i = 0; i < 51; ++i) {
    program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", 100 * survey::kMicrosecond});
    program.wait();
    program.host(100 * survey::kMicrosecond);
  }
  return program.survey();
}

TEST(SurveyReport, ShowsThePartAfterTheStartUpBesideTheWholeRun) {
  const std::string text = report_of(survey_with_a_start_up());
  EXPECT_THAT(text,
              ContainsRegex(
                  "\nstart-up: 30.0 ms \\(74 % of the observed time\\); --after 0.03[01]+ leaves it out\n"));
  EXPECT_THAT(text, HasSubstr("first launch at 30.0 ms\n"));
  EXPECT_THAT(text, HasSubstr(": busy 13 % (kernels 13 %, only copies 0 %), idle 87 %\n"));
  EXPECT_THAT(text, HasSubstr("  after the start-up, from 30.0 ms to 40"));
  EXPECT_THAT(text, HasSubstr(" ms: busy 49 % (kernels 49 %, only copies 0 %), idle 51 %\n"));
  EXPECT_THAT(text, HasSubstr("  1. up to 1.14x (1.9"));
  EXPECT_THAT(text, HasSubstr("x after the start-up)  The GPU is idle 50 times while"));
  Survey later = survey_with_a_start_up();
  later.run.window.start = 30 * survey::kMillisecond;
  EXPECT_THAT(report_of(later), Not(HasSubstr("start-up:")));
}

TEST(SurveyReport, SaysThatNothingWasFound) {
  const std::string text = report_of(imagined("slow_kernel", false));
  EXPECT_THAT(text, HasSubstr("Nothing was found that costs at least 5 % of the run."));
}

TEST(SurveyReport, SaysWhatIsMissing) {
  Survey survey = imagined("slow_kernel", false);
  survey.processes[0].problem = "Another profiler used CUPTI.";
  survey.processes[0].dropped = 1;
  survey.processes[0].left_out = 20;
  survey.processes[0].unnamed = 2;
  survey.run.exit_code.reset();
  survey.run.signal = 11;
  survey.run.problem = "CUPTI is older than the driver.";
  const std::string text = report_of(survey);
  EXPECT_THAT(text, HasSubstr("ended by signal 11"));
  EXPECT_THAT(text, HasSubstr("note: CUPTI is older than the driver.\n"));
  EXPECT_THAT(text, HasSubstr("note: process 100: Another profiler used CUPTI.\n"));
  EXPECT_THAT(text, HasSubstr("CUPTI lost 1 record\n"));
  EXPECT_THAT(text, HasSubstr("20 records beyond the limit"));
  EXPECT_THAT(text, HasSubstr("2 records are missing, because the tables of names and shapes"));
  EXPECT_THAT(report_of({}), HasSubstr("note: no process used a GPU\n"));
  Survey explained;
  explained.run.problem = "Nothing was recorded.";
  EXPECT_THAT(report_of(explained), HasSubstr("note: Nothing was recorded.\n"));
  EXPECT_THAT(report_of(explained), Not(HasSubstr("no process used a GPU"))) << "said once";
}

TEST(SurveyReport, SaysThatNothingIsKnownOrThatIdleTimeIsUncertain) {
  Survey survey = imagined("host_waits", true);
  survey.processes[0].dropped = 1;
  const std::string text = report_of(survey);
  EXPECT_THAT(text, HasSubstr("note: idle time may be work whose records are missing"));
  EXPECT_THAT(text, Not(HasSubstr("[host_waits]")));
  survey.processes[0].left_out = 1;
  survey.launches.clear();
  const std::string unknown = report_of(survey);
  EXPECT_THAT(unknown, HasSubstr(": how busy it was is unknown, because its work is not listed\n"));
  EXPECT_THAT(unknown, HasSubstr("No part of the run was observed"));
  EXPECT_THAT(unknown, Not(HasSubstr("idle 100 %")));
}

TEST(SurveyReport, SaysThatAGpuWasNotUsedBesideOneThatWas) {
  Survey survey = survey_with_a_start_up();
  survey.devices.push_back(survey.devices.front());
  survey.devices.back().gpu.name = "Spare";
  const std::string text = report_of(survey);
  EXPECT_THAT(text, HasSubstr("\nGPU 1 Spare: no work was seen on it\n\n"));
  EXPECT_THAT(text, HasSubstr("why idle: "));
  EXPECT_THAT(text, Not(HasSubstr("idle 100 %")));
}

TEST(SurveyReport, KeepsForeignTextOnItsLine) {
  Survey survey = imagined("slow_kernel", true);
  for (std::string& name : survey.names) name = "kernel\nGPU 7: busy 1 %";
  survey.run.command = {"app", "a\nGPU 7: busy 2 %"};
  survey.run.problem = "problem\nGPU 7: busy 3 %";
  survey.processes[0].problem = "problem\nGPU 7: busy 4 %";
  survey.devices[0].gpu.name = "name\nGPU 7: busy 5 %";
  const std::string text = report_of(survey);
  EXPECT_THAT(text, Not(HasSubstr("\nGPU 7")));
  EXPECT_THAT(text, HasSubstr("app a\\nGPU 7: busy 2 %\n"));
  EXPECT_THAT(text, HasSubstr("[slow_kernel]"));
  survey.run.range = "range\nGPU 7: busy 6 %";
  EXPECT_THAT(report_of(survey), Not(HasSubstr("\nGPU 7")));
}

TEST(SurveyReport, HasATableOfEachKindOfRecord) {
  const std::string text = report_of(survey::testing::small_survey());
  std::size_t before = 0;
  for (const char* title : {"\nKernels (", "\nCopies\n", "\nFills\n", "\nCUDA graphs (", "\nCalls of CUDA (",
                            "\nNVTX ranges ("}) {
    const std::size_t at = text.find(title);
    ASSERT_NE(at, std::string::npos) << title;
    EXPECT_GT(at, before) << title;
    before = at;
  }
}

TEST(SurveyComparisonReport, ListsWhatGotSlower) {
  const Survey before = imagined("slow_kernel", false);
  const Survey after = imagined("slow_kernel", true);
  const std::string text = survey_comparison_report(compare(before, analyse(before), after, analyse(after)));
  EXPECT_THAT(text, HasSubstr("+100 ms"));
  EXPECT_THAT(text, ContainsRegex("new +0 -> 20 +5.00 ms +slow\n"));
  EXPECT_THAT(text, Not(HasSubstr("warning")));
  Survey unlike = after;
  unlike.run.range = "a\nb";
  EXPECT_THAT(
      survey_comparison_report(compare(before, analyse(before), unlike, analyse(unlike))),
      ::testing::StartsWith("warning: The earlier survey is about the whole run, and the later one about "
                            "the NVTX ranges a\\nb.\n"));
  const std::string same =
      survey_comparison_report(compare(before, analyse(before), before, analyse(before)));
  EXPECT_THAT(same, HasSubstr("Nothing on the GPUs changed by more than the noise"));
}

// Fewer launches need less time, although none is faster.
TEST(SurveyComparisonReport, TellsFewerLaunchesFromFasterOnes) {
  survey::analysis::SurveyComparison comparison;
  comparison.changes = {{ChangeKind::kKernel, "few", 300'000, 60'000, 10, 2},
                        {ChangeKind::kKernel, "both", 300'000, 120'000, 10, 2},
                        {ChangeKind::kKernel, "fast", 300'000, 60'000, 10, 10},
                        {ChangeKind::kCopies, "many", 60'000, 300'000, 2, 20},
                        {ChangeKind::kIdle, "host", 300'000, 60'000, 0, 0}};
  const std::string text = survey_comparison_report(comparison);
  EXPECT_THAT(text, ContainsRegex(" fewer +10 -> 2 +30.0 us +few\n"));
  EXPECT_THAT(text, ContainsRegex(" fewer, each slower +10 -> 2 +30.0 us -> 60.0 us +both\n"));
  EXPECT_THAT(text, ContainsRegex(" faster +10 -> 10 +30.0 us -> 6.00 us +fast\n"));
  EXPECT_THAT(text, ContainsRegex(" more, each faster +2 -> 20 +30.0 us -> 15.0 us +copies: many\n"));
  EXPECT_THAT(text, ContainsRegex(" faster +idle: the host worked on something else\n"))
      << "the report's words";
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
