#include "survey/analysis/survey_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "survey/analysis/host_link.h"
#include "survey/analysis/kernel_times.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::CopyDirection;
using records::MemoryKind;
using records::Survey;

constexpr std::uint64_t kMiB = 1 << 20;

TEST(SurveyAnalysis, DividesTheWindowIntoKernelsCopiesAndIdleTime) {
  SurveyBuilder program;
  const records::Index copies = program.stream();
  program.launch({"void a(int)", 200 * kMicrosecond});
  program.up(5 * kMiB, copies);  // About 105 us, beside the kernel.
  program.wait();
  program.up(5 * kMiB, copies);
  program.wait();
  const Survey survey = program.survey();
  const DeviceTime time = analyse(survey).devices.at(0);
  const std::int64_t copy = survey.copies.at(1).time.duration();
  EXPECT_EQ(time.window, survey.run.window.end);
  EXPECT_EQ(time.kernels, 200 * kMicrosecond);
  EXPECT_EQ(time.copies_only, copy);
  EXPECT_EQ(time.overlapped, copy);
  EXPECT_EQ(time.copies_beside_kernels, copy);
  EXPECT_EQ(time.copies_could_overlap, 200 * kMicrosecond - copy);
  EXPECT_EQ(time.kernels + time.copies_only + time.idle, time.window);
  EXPECT_EQ(time.streams, 2);
}

TEST(SurveyAnalysis, OnlyTimeInWhichAKernelRanAloneCountsInItsBound) {
  SurveyBuilder program;
  const records::Index other = program.stream();
  program.launch({"void a(int)", kMillisecond, 100});
  program.launch({"void b(int)", kMillisecond / 2, 100}, other);
  program.wait();
  const Survey survey = program.survey();
  const SurveyAnalysis analysis = analyse(survey);
  ASSERT_EQ(analysis.kernels.size(), 2U);
  const KernelTime& a = analysis.kernels.front();
  EXPECT_EQ(survey.names[a.name], "void a(int)");
  const auto window = static_cast<double>(survey.run.window.end);
  EXPECT_NEAR(a.bound, window / (window - kMillisecond / 2.0), 0.01);
  EXPECT_NEAR(analysis.kernels.back().bound, 1.0, 0.01);
  EXPECT_NEAR(a.share, 2.0 / 3.0, 1e-9);
  ASSERT_TRUE(a.occupancy.has_value());
  EXPECT_EQ(*a.occupancy, 1.0);
}

TEST(SurveyAnalysis, LaunchesThatAreNotListedCountInSumsOnly) {
  SurveyBuilder program;
  for (const std::int64_t duration : {30, 10, 20}) program.launch({"void a(int)", duration * kMicrosecond});
  program.launch({"void b(int)", 15 * kMicrosecond, 64});
  program.wait();
  const std::int64_t listed = program.draft().launches.back().time.end;
  program.host(kMillisecond);
  Survey survey = program.survey();
  survey.processes[0].left_out = 7;
  survey.unlisted = {{0, 0, 5, 25 * kMicrosecond}, {0, 1, 2, 40 * kMicrosecond}};
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.launches, 11);
  EXPECT_EQ(analysis.short_launches, 5) << "five of 5 us on average";
  EXPECT_EQ(analysis.observed, listed) << "what came later was not seen";
  const KernelTime& a = analysis.kernels.at(0);
  EXPECT_EQ(a.launches, 8);
  EXPECT_EQ(a.duration, 85 * kMicrosecond);
  EXPECT_EQ(a.minimum, 10 * kMicrosecond);
  EXPECT_EQ(a.median, 20 * kMicrosecond);
  EXPECT_EQ(a.maximum, 30 * kMicrosecond);
  EXPECT_EQ(analysis.kernels.at(1).duration, 55 * kMicrosecond);
}

TEST(SurveyAnalysis, NothingIsObservedIfTheLimitCameBeforeAnyWork) {
  SurveyBuilder program;
  program.launch({"void a(int)", kMillisecond});
  program.wait();
  Survey survey = program.survey();
  survey.launches.clear();
  survey.processes[0].left_out = 7;
  survey.unlisted = {{0, 0, 1, kMillisecond}};
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.observed, 0);
  EXPECT_EQ(analysis.devices.at(0).idle, 0) << "nobody knows";
  EXPECT_EQ(analysis.kernels.at(0).duration, kMillisecond);
}

TEST(SurveyAnalysis, TimeAfterTheLastRecordOfAKilledProcessIsNotObserved) {
  SurveyBuilder program;
  program.launch({"void a(int)", kMillisecond});
  program.wait();
  program.host(50 * kMillisecond);
  Survey survey = program.survey();
  const std::int64_t end = survey.launches.at(0).time.end;
  EXPECT_GT(analyse(survey).observed, 50 * kMillisecond);
  survey.processes[0].problem = "A signal ended it, so its last records are missing.";
  EXPECT_EQ(analyse(survey).observed, end);
  EXPECT_FALSE(analyse(survey).idle_is_uncertain);
  records::Process without_work = survey.processes[0];
  survey.processes[0].problem.clear();
  survey.processes.push_back(without_work);
  EXPECT_GT(analyse(survey).observed, 50 * kMillisecond);
  EXPECT_TRUE(analyse(survey).idle_is_uncertain) << "it may have used the GPU";
  records::Call call;
  call.process = 1;
  call.kind = records::CallKind::kWait;
  survey.calls.insert(survey.calls.begin(), call);
  EXPECT_FALSE(analyse(survey).idle_is_uncertain) << "it gave no work";
  survey.calls[0].kind = records::CallKind::kLaunch;
  EXPECT_TRUE(analyse(survey).idle_is_uncertain);
}

TEST(SurveyAnalysis, ARangeLimitsTheObservedTime) {
  SurveyBuilder program;
  program.launch({"void a(int)", 100 * kMicrosecond});
  program.wait();
  const std::int64_t begin = program.now();
  program.launch({"void a(int)", 100 * kMicrosecond});
  program.wait();
  const std::int64_t end = program.now();
  program.host(kMillisecond);
  Survey survey = program.survey();
  survey.names.push_back("step");
  records::Range range;
  range.time = {begin, end};
  range.name = static_cast<records::Index>(survey.names.size() - 1);
  survey.ranges.push_back(range);
  survey.run.range = "step";
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.observed, end - begin);
  EXPECT_EQ(analysis.devices.at(0).kernels, 100 * kMicrosecond);
}

// Twenty ranges of 50 us, one in each 100 us. Two kernels run over ten ranges each.
Survey asynchronous_survey() {
  SurveyBuilder program;
  program.launch({"void a(int)", kMillisecond});
  Survey survey = program.survey();
  const records::Launch launch = survey.launches.at(0);
  survey.launches.clear();
  survey.names.push_back("step");
  const auto name = static_cast<records::Index>(survey.names.size() - 1);
  for (std::int64_t i = 0; i < 20; ++i) {
    const std::int64_t begin = i * 100 * kMicrosecond;
    survey.ranges.push_back({{begin, begin + 50 * kMicrosecond}, 0, 100, name});
    if (i % 10 > 0) continue;
    survey.launches.push_back(launch);
    survey.launches.back().time = {begin, begin + kMillisecond};
    survey.launches.back().call = records::kNone;
  }
  survey.run.range = "step";
  survey.run.window = {0, 2 * kMillisecond};
  return survey;
}

TEST(SurveyAnalysis, WorkCountsInEachPartOfTheObservedTime) {
  const Survey survey = asynchronous_survey();
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.observed, kMillisecond);
  EXPECT_EQ(analysis.devices.at(0).kernels, kMillisecond);
  EXPECT_EQ(analysis.devices.at(0).idle, 0);
  EXPECT_EQ(analysis.devices.at(0).overlapped, 0);
  EXPECT_EQ(analysis.kernels.at(0).duration, 2 * kMillisecond) << "whenever it ran";
  EXPECT_EQ(analysis.kernels.at(0).bound, 1000.0) << "it ran alone for all of the observed time";
}

TEST(SurveyAnalysis, WorkOfAnotherPartOfTheProgramCountsAsBusyOnly) {
  Survey survey = asynchronous_survey();
  for (records::Range& range : survey.ranges) range.time.start += 10 * kMicrosecond;
  survey.copies.emplace_back();
  survey.copies[0].time = {0, 60 * kMicrosecond};
  survey.copies[0].bytes = 1000;
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.devices.at(0).kernels, 20 * 40 * kMicrosecond);
  EXPECT_EQ(analysis.devices.at(0).idle, 0);
  EXPECT_EQ(analysis.devices.at(0).overlapped, 40 * kMicrosecond);
  EXPECT_TRUE(analysis.kernels.empty()) << "they were given outside of the ranges";
  EXPECT_TRUE(analysis.copies.empty());
}

TEST(SurveyAnalysis, CopiesHaveRatesAgainstTheHostLink) {
  SurveyBuilder program;
  program.up(50 * kMiB);
  program.copy(CopyDirection::kDeviceToHost, 25 * kMiB, MemoryKind::kPageable);
  program.wait();
  Survey survey = program.survey();
  const SurveyAnalysis analysis = analyse(survey);
  ASSERT_EQ(analysis.copies.size(), 2U);
  const CopyGroup& slow = analysis.copies.front();
  EXPECT_EQ(slow.destination, MemoryKind::kPageable);
  EXPECT_NEAR(*slow.bytes_per_s, 12.5e9, 1e7);
  ASSERT_TRUE(analysis.host_link_bytes_per_s.has_value());
  EXPECT_NEAR(*slow.host_link_share, 12.5e9 / *analysis.host_link_bytes_per_s, 1e-3);
  AnalysisOptions measured;
  measured.host_link_bytes_per_s = 25e9;
  EXPECT_EQ(*analyse(survey, measured).host_link_bytes_per_s, 25e9);
  EXPECT_TRUE(analyse(survey, measured).host_link_is_measured);
  EXPECT_FALSE(analysis.host_link_is_measured);
  survey.devices[0].gpu.compute_major = 0;
  EXPECT_FALSE(analyse(survey).host_link_bytes_per_s.has_value());
  EXPECT_FALSE(analyse(survey).copies.front().host_link_share.has_value());
}

TEST(SurveyAnalysis, OfAnEmptySurveyIsEmpty) {
  const SurveyAnalysis analysis = analyse({});
  EXPECT_TRUE(analysis.devices.empty());
  EXPECT_TRUE(analysis.findings.empty());
  EXPECT_EQ(analysis.launches_per_second, 0.0);
  Survey unused;
  unused.devices.resize(2);
  unused.run.window = {0, 1000};
  EXPECT_EQ(analyse(unused).devices.at(1).idle, 1000);
}

TEST(GridFit, NeedsTheLimitsOfTheGpu) {
  SurveyBuilder program;
  program.launch({"void a(int)", 100 * kMicrosecond, 66});
  Survey survey = program.survey();
  const auto fit = grid_fit(survey, survey.shapes[0], 0);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->blocks, 66);
  EXPECT_EQ(fit->sm_count, 132);
  EXPECT_NEAR(fit->gpu_share, 66.0 / (132 * 8), 1e-9);
  survey.shapes[0].grid = {4'000'000'000, 4'000'000'000, 4'000'000'000};
  EXPECT_EQ(grid_fit(survey, survey.shapes[0], 0)->gpu_share, 1.0);
  survey.devices[0].gpu.warp_size = 0;
  EXPECT_FALSE(grid_fit(survey, survey.shapes[0], 0).has_value());
  EXPECT_FALSE(analyse(survey).kernels.at(0).occupancy.has_value());
}

TEST(AmdahlBound, IsLimitedWhereNothingWouldBeLeft) {
  EXPECT_EQ(amdahl_bound(100, 50), 2.0);
  EXPECT_EQ(amdahl_bound(100, 0), 1.0);
  EXPECT_EQ(amdahl_bound(100, 100), 1000.0);
  EXPECT_EQ(amdahl_bound(0, 5), 1.0);
}

TEST(HostLink, IsThatOfTheGeneration) {
  model::GpuDescription gpu;
  EXPECT_FALSE(host_link_bytes_per_s(gpu).has_value());
  gpu.compute_major = 8;
  EXPECT_NEAR(*host_link_bytes_per_s(gpu), 31.5e9, 0.1e9);
  gpu.compute_major = 9;
  EXPECT_NEAR(*host_link_bytes_per_s(gpu), 63.0e9, 0.1e9);
  gpu.name = "NVIDIA GH200 480GB";
  EXPECT_EQ(*host_link_bytes_per_s(gpu), 450e9);
}

// A million launches on two streams, with as many calls, take a moment. Quadratic work would take hours.
TEST(SurveyAnalysis, ReadsAMillionLaunches) {
  SurveyBuilder program;
  const records::Index other = program.stream();
  program.launch({"void a(int)", 5 * kMicrosecond});
  program.launch({"void a(int)", 5 * kMicrosecond}, other);
  Survey survey = program.survey();
  constexpr int kPairs = 500'000;
  const auto launches = survey.launches;
  const auto calls = survey.calls;
  for (int i = 1; i < kPairs; ++i) {
    const std::int64_t later = i * 10 * kMicrosecond;
    for (std::size_t k = 0; k < 2; ++k) {
      records::Launch launch = launches[k];
      launch.time = {launch.time.start + later, launch.time.end + later};
      launch.call = static_cast<records::Index>(survey.calls.size());
      records::Call call = calls[k];
      call.time = {call.time.start + later, call.time.end + later};
      survey.launches.push_back(launch);
      survey.calls.push_back(call);
    }
  }
  survey.run.window.end = survey.launches.back().time.end;
  const SurveyAnalysis analysis = analyse(survey);
  EXPECT_EQ(analysis.launches, 2 * kPairs);
  EXPECT_EQ(analysis.short_launches, 2 * kPairs);
  EXPECT_EQ(analysis.devices.at(0).kernels + analysis.devices.at(0).idle, survey.run.window.end);
}

}  // namespace
}  // namespace warptune::survey::analysis
