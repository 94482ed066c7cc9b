#include "survey/analysis/counted_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/diagnosis/diagnosis.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey_file.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::Survey;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

// Three kernels of 100, 50 and 10 us, whose first one has counters of two launches.
Survey program_with_counters() {
  SurveyBuilder program;
  for (int i = 0; i < 5; ++i) {
    program.launch({"first", 100 * kMicrosecond});
    program.launch({"second", 50 * kMicrosecond});
    program.launch({"third", 10 * kMicrosecond});
    program.wait();
  }
  Survey survey = program.survey();
  const model::Counters one = {
      {"dram__bytes.sum", 1e6}, {"gpu__time_duration.sum", 110e3}, {"fp32_operations", 5e6}};
  const model::Counters other = {{"dram__bytes.sum", 3e6}, {"gpu__time_duration.sum", 120e3}};
  survey.counted = {{0, 0, {other, one}}};
  return survey;
}

CountedKernel first_of(const Survey& survey) {
  return counted_kernels(survey, analyse(survey).kernels).at(0);
}

TEST(CountedKernelsTest, HaveTheTimeOfTheSurveyAndTheMediansOfCounters) {
  const CountedKernel kernel = first_of(program_with_counters());
  EXPECT_EQ(kernel.launches, 2);
  EXPECT_EQ(kernel.time_ns, 100e3);
  EXPECT_EQ(kernel.counted_ns, 110e3);
  EXPECT_NEAR(kernel.share, 100.0 / 160.0, 1e-9);
  EXPECT_EQ(kernel.counters.at("dram__bytes.sum"), 1e6);
}

TEST(CountedKernelsTest, ArePointsUnderTheRoofsByTheory) {
  Survey survey = program_with_counters();
  survey.counted[0].launches.resize(1);
  survey.counted[0].launches[0]["fp32_operations"] = 6e6;
  survey.devices[0].gpu.memory_bandwidth_bytes_per_s = 4'000'000'000'000;
  const RooflinePoint point = first_of(survey).roofline;
  EXPECT_DOUBLE_EQ(point.bytes_per_s.value(), 3e10);
  EXPECT_DOUBLE_EQ(point.flops_per_s.value(), 6e10);
  EXPECT_DOUBLE_EQ(point.flops_per_byte.value(), 2.0);
  EXPECT_EQ(point.roof_bytes_per_s, 4e12);
  EXPECT_EQ(point.roof_flops_per_s, survey.devices[0].gpu.peak_fp32_flops());
}

TEST(CountedKernelsTest, AtTheirRoofBoundTheRun) {
  Survey survey = program_with_counters();
  survey.devices[0].gpu.memory_bandwidth_bytes_per_s = 40'000'000'000;
  survey.counted[0].launches = {{{"dram__bytes.sum", 1e6}}};
  const std::vector<KernelTime> kernels = analyse(survey).kernels;
  const CountedKernel kernel = counted_kernels(survey, kernels).at(0);
  EXPECT_DOUBLE_EQ(kernel.roofline.share.value(), 0.25);  // 10 of 40 GB/s.
  // Three quarters of the kernel's part are saved.
  const double part = 1.0 - 1.0 / kernels[0].bound;
  EXPECT_GT(part, 0.2);
  EXPECT_DOUBLE_EQ(kernel.bound_at_roof.value(), 1.0 / (1.0 - 0.75 * part));
  EXPECT_LT(*kernel.bound_at_roof, kernels[0].bound);
}

TEST(CountedKernelsTest, AtTheirRoofAlreadyHaveNothingToGain) {
  Survey survey = program_with_counters();
  survey.devices[0].gpu.memory_bandwidth_bytes_per_s = 5'000'000'000;
  survey.counted[0].launches = {{{"dram__bytes.sum", 1e6}}};
  EXPECT_EQ(first_of(survey).roofline.share, 1.0);
  EXPECT_EQ(first_of(survey).bound_at_roof, 1.0);
  survey.devices[0].gpu.memory_bandwidth_bytes_per_s = 40'000'000'000;
  survey.counted[0].launches[0]["sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"] = 60.0;
  EXPECT_DOUBLE_EQ(first_of(survey).roofline.share.value(), 0.6);
  survey.counted[0].launches = {{{"gpu__time_duration.sum", 1.0}}};
  EXPECT_FALSE(first_of(survey).roofline.share);
  EXPECT_FALSE(first_of(survey).bound_at_roof);
}

TEST(CountedKernelsTest, ReferSharesOfElapsedTimeToTheTimeOfTheSurvey) {
  Survey survey = program_with_counters();
  const std::string share = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
  survey.counted[0].launches = {{{share, 50.0}, {"gpu__time_duration.sum", 110e3}}};
  EXPECT_DOUBLE_EQ(first_of(survey).counters.at(share), 55.0);
  // So much longer, that something else happened.
  survey.counted[0].launches = {{{share, 50.0}, {"gpu__time_duration.sum", 1e9}}};
  EXPECT_FALSE(first_of(survey).counters.contains(share));
}

TEST(CountedKernelsTest, OfARecordedRunHaveTheFindingOfStridedLoads) {
  const Survey survey =
      records::read_survey(std::string(WARPTUNE_SOURCE_FOLDER) + "/tests/survey/data/version2.wtsurvey.zst");
  const CountedKernel kernel = first_of(survey);
  EXPECT_EQ(survey.names[survey.shapes[kernel.shape].name], "strided(float const*, float*, int)");
  EXPECT_EQ(kernel.launches, 3);
  EXPECT_EQ(kernel.diagnosis.findings.at(0).rule, "uncoalesced_loads");
  EXPECT_EQ(kernel.diagnosis.findings.at(0).severity, profiling::diagnosis::Severity::kFault);
  EXPECT_THAT(kernel.diagnosis.findings, Contains(Field(&profiling::diagnosis::Finding::rule, "dram_bound")));
  EXPECT_NEAR(kernel.roofline.bytes_per_s.value() / kernel.roofline.roof_bytes_per_s.value(), 0.85, 0.01);
}

TEST(CountedKernelsTest, WithoutATimeNothingIsFound) {
  Survey survey = program_with_counters();
  survey.launches.clear();
  const CountedKernel kernel = first_of(survey);
  EXPECT_EQ(kernel.time_ns, 0.0);
  EXPECT_FALSE(kernel.roofline.bytes_per_s);
  EXPECT_THAT(kernel.diagnosis.findings, IsEmpty());
  survey.counted[0].launches.clear();
  EXPECT_THAT(counted_kernels(survey, {}), IsEmpty());
}

TEST(HotShapesTest, AreThoseWithMostTimeWithoutCollectives) {
  SurveyBuilder program;
  program.launch({"short", 1 * kMicrosecond});
  program.launch({"second", 300 * kMicrosecond});
  program.launch({"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 400 * kMicrosecond});
  program.launch({"first", 500 * kMicrosecond});
  const Survey survey = program.survey();
  const std::vector<KernelTime> kernels = analyse(survey).kernels;
  const auto names = [&](const HotShapes& hot) {
    std::vector<std::string> list;
    for (const records::Index shape : hot.shapes) list.push_back(survey.names[survey.shapes[shape].name]);
    return list;
  };
  const HotShapes hot = hot_shapes(survey, kernels, 10);
  EXPECT_THAT(names(hot), ElementsAre("first", "second"));
  EXPECT_EQ(hot.collectives, 1U);
  EXPECT_THAT(names(hot_shapes(survey, kernels, 1)), ElementsAre("first"));
}

}  // namespace
}  // namespace warptune::survey::analysis
