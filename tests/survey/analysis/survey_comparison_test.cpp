#include "survey/analysis/survey_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::Survey;

struct Launches {
  std::string name;
  std::int64_t duration = 0;
  std::uint32_t blocks = 4096;
};

Survey run_of(const std::vector<Launches>& kernels, std::int64_t host = 0) {
  SurveyBuilder program;
  for (int i = 0; i < 10; ++i) {
    for (const Launches& kernel : kernels) program.launch({kernel.name, kernel.duration, kernel.blocks});
    program.wait();
    program.host(host);
  }
  return program.survey();
}

SurveyComparison comparison_of(const Survey& before, const Survey& after) {
  return compare(before, analyse(before), after, analyse(after));
}

std::vector<std::string> names_of(const SurveyComparison& comparison) {
  std::vector<std::string> names;
  for (const Change& change : comparison.changes) names.push_back(change.name);
  return names;
}

TEST(SurveyComparison, OrdersChangesByTimeAndMatchesKernelsByName) {
  const Survey before =
      run_of({{"a", 100 * kMicrosecond}, {"b", 200 * kMicrosecond}, {"old", 50 * kMicrosecond}});
  const Survey after = run_of(
      {{"a", 300 * kMicrosecond, 64}, {"b", 90 * kMicrosecond}, {"new", 20 * kMicrosecond}}, kMillisecond);
  const SurveyComparison comparison = comparison_of(before, after);
  EXPECT_THAT(names_of(comparison), testing::ElementsAre("host", "a", "b", "old", "new"));
  EXPECT_EQ(comparison.changes[1].difference(), 2 * kMillisecond);
  EXPECT_EQ(comparison.changes[2].difference(), -1100 * kMicrosecond);
  EXPECT_TRUE(comparison.changes[3].is_gone());
  EXPECT_TRUE(comparison.changes[4].is_new());
  EXPECT_FALSE(comparison.changes[0].is_new());
  EXPECT_EQ(comparison.run.after, after.run.duration);
}

TEST(SurveyComparison, WarnsIfTheSurveysAreUnlike) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  const Survey same = run_of({{"a", 1000 * kMicrosecond}});
  const Survey slower = run_of({{"a", 2000 * kMicrosecond}});
  EXPECT_THAT(comparison_of(same, slower).warnings, testing::IsEmpty());
  Survey other = slower;
  other.run.range = "step";
  EXPECT_THAT(
      comparison_of(same, other).warnings,
      ElementsAre(
          "The earlier survey is about the whole run, and the later one about the NVTX ranges step."));
  other = slower;
  other.run.window.start = 5 * kMillisecond;
  EXPECT_THAT(comparison_of(same, other).warnings,
              ElementsAre(HasSubstr("and the later one about 5.00 ms to 20")));
  EXPECT_THAT(comparison_of(other, other).warnings, testing::IsEmpty());
  other = slower;
  other.run.window.end = 5 * kMillisecond;
  EXPECT_THAT(comparison_of(same, other).warnings, ElementsAre(HasSubstr("0.00 ns to 5.00 ms")));
  other = slower;
  other.devices[0].gpu.name = "NVIDIA A100";
  EXPECT_THAT(comparison_of(other, same).warnings,
              ElementsAre(HasSubstr("The earlier survey ran on NVIDIA A100")));
  other = slower;
  other.processes[0].left_out = 5;
  EXPECT_THAT(comparison_of(other, other).warnings,
              ElementsAre(HasSubstr("In both surveys, a process reached its limit")));
  other = slower;
  other.processes[0].problem = "A signal ended it.";
  EXPECT_THAT(comparison_of(other, same).warnings,
              ElementsAre("In the earlier survey, records of a process are missing."));
}

TEST(SurveyComparison, LeavesOutNoise) {
  const Survey before = run_of({{"a", 1000 * kMicrosecond}, {"b", 20 * kMicrosecond}});
  // `a` changes by 4 % of its own time, and `b` by 0.5 % of the run.
  const Survey after = run_of({{"a", 1040 * kMicrosecond}, {"b", 25 * kMicrosecond}});
  const SurveyComparison comparison = comparison_of(before, after);
  EXPECT_TRUE(comparison.changes.empty()) << testing::PrintToString(names_of(comparison));
  EXPECT_GE(comparison.unchanged, 2);
}

TEST(SurveyComparison, NamesCopiesByDirectionAndMemoryOfTheHost) {
  const auto copying = [](records::MemoryKind kind) {
    SurveyBuilder program;
    for (int i = 0; i < 10; ++i) program.copy(records::CopyDirection::kHostToDevice, 1 << 24, kind);
    program.wait();
    return program.survey();
  };
  const SurveyComparison comparison =
      comparison_of(copying(records::MemoryKind::kPageable), copying(records::MemoryKind::kPinned));
  EXPECT_THAT(names_of(comparison),
              testing::ElementsAre("host to device, pageable", "host to device, pinned"));
}

// CUPTI names all GPUs that a process may use.
Survey with_an_unused_gpu(Survey survey) {
  survey.devices.push_back(survey.devices.front());
  survey.devices.back().gpu.name = "NVIDIA A100";
  return survey;
}

TEST(SurveyComparison, LeavesOutGpusThatWereNotUsed) {
  const Survey before = run_of({{"a", kMillisecond}});
  const Survey after = run_of({{"a", kMillisecond}}, kMillisecond);
  const SurveyComparison expected = comparison_of(before, after);
  for (const bool earlier : {false, true}) {
    const SurveyComparison comparison =
        comparison_of(earlier ? with_an_unused_gpu(before) : before, with_an_unused_gpu(after));
    ASSERT_EQ(names_of(comparison), names_of(expected));
    EXPECT_EQ(comparison.changes.at(0).before, expected.changes.at(0).before);
    EXPECT_EQ(comparison.changes.at(0).after, expected.changes.at(0).after);
    EXPECT_THAT(comparison.warnings, testing::IsEmpty());
  }
}

TEST(SurveyComparison, CountsTheIdleTimeOfASurveyInWhichNoGpuWorked) {
  Survey idle = run_of({{"a", kMillisecond}});
  idle.launches.clear();
  idle.streams.clear();
  const SurveyComparison comparison = comparison_of(run_of({{"a", kMillisecond}}), idle);
  EXPECT_THAT(names_of(comparison), testing::Contains("host"));
}

}  // namespace
}  // namespace warptune::survey::analysis
