#include "survey/analysis/start_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::CallKind;
using records::Survey;

constexpr std::int64_t kLoad = 5 * kMillisecond;

void load(SurveyBuilder& program) { program.call(CallKind::kModuleLoad, "cuLibraryLoadData", kLoad); }

// A program that trains: some rounds of the same ten kernels, which wait for the GPU.
void rounds(SurveyBuilder& program, int count, int loads_of_each_round) {
  for (int i = 0; i < count; ++i) {
    for (int kernel = 0; kernel < 10; ++kernel) {
      if (kernel < loads_of_each_round) load(program);
      program.launch({"void k" + std::to_string(kernel) + "(int)", 10 * kMicrosecond});
    }
    program.wait();
  }
}

// Imports, the context, then the first round loads the code of each kernel, and the others repeat it.
Survey lazy_program(int later_rounds) {
  SurveyBuilder program;
  program.host(30 * kMillisecond);
  program.call(CallKind::kOther, "cuDevicePrimaryCtxRetain", 20 * kMillisecond);
  rounds(program, 1, 10);
  rounds(program, later_rounds, 0);
  Survey survey = program.survey();
  survey.processes[0].time.start = 30 * kMillisecond;
  return survey;
}

TEST(CodeLoads, OfTheFirstRoundAreNotInALoop) {
  EXPECT_FALSE(code_loads(lazy_program(50)).in_loop);
  SurveyBuilder program;
  rounds(program, 3, 10);
  rounds(program, 60, 0);
  const CodeLoads first = code_loads(program.survey());
  EXPECT_EQ(first.repeated, 29) << "all but the load before the first launch";
  EXPECT_FALSE(first.in_loop) << "three rounds of 63";
}

TEST(CodeLoads, OfEachRoundAreInALoop) {
  SurveyBuilder program;
  rounds(program, 20, 1);
  const CodeLoads loads = code_loads(program.survey());
  EXPECT_EQ(loads.repeated, 19);
  EXPECT_TRUE(loads.in_loop);
}

TEST(CodeLoads, BeforeKernelsThatAreNeverRepeatedAreNotInALoop) {
  SurveyBuilder program;
  for (int i = 0; i < 40; ++i) {
    load(program);
    for (int n = 0; n < 5; ++n) program.launch({"void k" + std::to_string(i) + "(int)", 10 * kMicrosecond});
  }
  program.wait();
  const CodeLoads loads = code_loads(program.survey());
  EXPECT_EQ(loads.repeated, 0);
  EXPECT_FALSE(loads.in_loop);
  EXPECT_THAT(analyse(program.survey()).findings, testing::IsEmpty());
}

TEST(StartUp, LastsUntilTheFirstRoundHasLoadedItsCode) {
  const Survey survey = lazy_program(50);
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.start_up.first_call, 30 * kMillisecond);
  EXPECT_EQ(analysis.start_up.first_launch, survey.launches.front().time.start);
  EXPECT_EQ(analysis.start_up.loads, 10);
  EXPECT_EQ(analysis.start_up.loading, 10 * kLoad);
  EXPECT_LT(analysis.start_up.end, survey.launches[9].time.start) << "the load before the tenth launch ended";
  EXPECT_GT(analysis.start_up.end, survey.launches[8].time.end);
  EXPECT_EQ(analysis.start_up.duration, analysis.start_up.end);
  EXPECT_EQ(analysis.steady, (records::Interval{analysis.start_up.end, survey.launches.back().time.end}));
  for (const Finding& finding : analysis.findings) EXPECT_NE(finding.rule, "module_load_in_loop");
}

TEST(StartUp, LastsUntilTheFirstLaunchIfLoadsAreInALoop) {
  SurveyBuilder program;
  program.host(kMillisecond);
  rounds(program, 20, 1);
  const Survey survey = program.survey();
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.start_up.end, survey.launches.front().time.start);
  EXPECT_EQ(analysis.start_up.loads, 0);
}

// In a long run, the first eighth of the launches may have other code to load long after the first round.
TEST(StartUp, OfALongRunLeavesOutLaterLoads) {
  SurveyBuilder program;
  program.host(kMillisecond);
  rounds(program, 1, 2);
  const std::int64_t first_round = program.now();
  program.host(100 * kMillisecond);
  rounds(program, 1, 1);
  rounds(program, 30, 0);
  const SurveyAnalysis analysis = analyse(program.survey());
  EXPECT_LT(analysis.start_up.end, first_round);
  EXPECT_EQ(analysis.start_up.loads, 2);
}

TEST(StartUp, OfAProgramThatOnlyCopiesLastsUntilTheFirstCopy) {
  SurveyBuilder program;
  program.host(kMillisecond);
  program.up(1 << 20);
  program.wait();
  const Survey survey = program.survey();
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_FALSE(analysis.start_up.first_launch.has_value());
  EXPECT_EQ(analysis.start_up.end, survey.copies.front().time.start);
  EXPECT_EQ(analysis.steady_devices.at(0).copies_only, survey.copies.front().time.duration());
  EXPECT_EQ(analysis.steady_devices.at(0).idle, 0);
}

TEST(StartUp, OfASurveyThatBeginsLaterIsShort) {
  Survey survey = lazy_program(50);
  survey.run.window.start = survey.launches[100].time.start;
  survey.launches.erase(survey.launches.begin(), survey.launches.begin() + 100);
  survey.calls.clear();
  for (records::Launch& launch : survey.launches) launch.call = records::kNone;
  EXPECT_EQ(analyse(survey).start_up.duration, 0);
}

TEST(StartUp, OfAnEmptySurveyIsNothing) {
  const SurveyAnalysis analysis = analyse({});
  EXPECT_EQ(analysis.start_up.duration, 0);
  EXPECT_TRUE(analysis.steady_devices.empty());
}

// The host works for 100 us between two launches of 100 us: 2 in the part after the start-up.
TEST(SteadyPart, HasItsOwnBusyShareAndBounds) {
  SurveyBuilder program;
  program.host(50 * kMillisecond);
  for (int i = 0; i < 51; ++i) {
    program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", 100 * kMicrosecond});
    program.wait();
    program.host(100 * kMicrosecond);
  }
  const SurveyAnalysis analysis = analyse(program.survey());
  const DeviceTime& whole = analysis.devices.at(0);
  const DeviceTime& steady = analysis.steady_devices.at(0);
  EXPECT_EQ(whole.kernels, steady.kernels);
  EXPECT_LT(whole.kernels, whole.window / 10);
  EXPECT_NEAR(static_cast<double>(steady.kernels) / static_cast<double>(steady.window), 0.5, 0.03);
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings[0].rule, "idle_gaps");
  EXPECT_NEAR(analysis.findings[0].bound, 1.09, 0.02);
  ASSERT_TRUE(analysis.findings[0].steady_bound.has_value());
  EXPECT_NEAR(*analysis.findings[0].steady_bound, 1.95, 0.1);
  EXPECT_NEAR(analysis.launches_per_second, 4830, 200);
}

// 100 us of the host's work in each step are 3 % of the run, and half of what follows the start-up.
TEST(SteadyPart, DecidesWhatIsWorthReading) {
  SurveyBuilder program;
  program.host(300 * kMillisecond);
  for (int i = 0; i < 90; ++i) {
    program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", 100 * kMicrosecond});
    program.wait();
    program.host(100 * kMicrosecond);
  }
  const SurveyAnalysis analysis = analyse(program.survey());
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings[0].rule, "idle_gaps");
  EXPECT_LT(analysis.findings[0].bound, 1.04);
}

}  // namespace
}  // namespace warptune::survey::analysis
