#include "survey/analysis/summaries/marked_ranges.h"

#include <gtest/gtest.h>

#include <random>

#include "survey/analysis/device_timeline.h"
#include "survey/records/range_times.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis::summaries {
namespace {

using records::kNone;
using records::Survey;

// Two ranges "step" of one thread, with "load" within the first one, and a "step" of another process.
Survey survey_with_ranges() {
  Survey survey;
  survey.names = {"step", "load", "kernel", "cudaLaunchKernel"};
  survey.run.window = {0, 1000};
  survey.processes.resize(2);
  survey.devices.resize(1);
  survey.streams.resize(2);
  survey.streams[1].process = 1;
  survey.shapes.resize(1);
  survey.shapes[0].name = 2;
  survey.ranges = {
      {{100, 200}, 0, 1, 0}, {{110, 130}, 0, 1, 1}, {{300, 500}, 0, 1, 0}, {{600, 700}, 1, 2, 0}};
  survey.calls = {{{120, 125}, 0, 1, 3}, {{350, 355}, 0, 1, 3}, {{500, 505}, 0, 1, 3}};
  survey.launches = {{{{150, 250}, 0, 0, 0}, 0}, {{{360, 400}, 0, 1, 0}, 0}, {{{510, 540}, 0, 2, 0}, 0}};
  survey.copies.resize(1);
  survey.copies[0].time = {390, 450};
  survey.copies[0].call = 1;
  return survey;
}

std::vector<MarkedRanges> ranges_of(const Survey& survey) {
  return marked_ranges(survey, observed_time(survey));
}

TEST(MarkedRanges, SumUpTheRangesOfEachNameAndTheWorkWithinThem) {
  const std::vector<MarkedRanges> ranges = ranges_of(survey_with_ranges());
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].name, 0U);
  EXPECT_EQ(ranges[0].count, 3);
  EXPECT_EQ(ranges[0].time, (DurationSummary{400, 100, 200}));
  EXPECT_EQ(ranges[0].open, 400);
  EXPECT_EQ(ranges[0].busy, 50 + 90) << "from 150 to 200, and from 360 to 450";
  EXPECT_EQ(ranges[0].launches, 2) << "the third was given at the end of a range";
  EXPECT_EQ(ranges[0].work_duration, 100 + 40 + 60);
  EXPECT_EQ(ranges[1].name, 1U);
  EXPECT_EQ(ranges[1].busy, 0) << "its kernel ran later";
  EXPECT_EQ(ranges[1].launches, 1);
  EXPECT_EQ(ranges[1].work_duration, 100);
}

TEST(MarkedRanges, CountTheTimeOfOverlappingRangesOnceAndOnlyIfItWasObserved) {
  Survey survey = survey_with_ranges();
  survey.ranges = {{{300, 500}, 0, 1, 0}, {{350, 450}, 0, 1, 0}, {{380, 900}, 0, 2, 0}};
  survey.run.window = {0, 400};
  const MarkedRanges ranges = ranges_of(survey).at(0);
  EXPECT_EQ(ranges.time.total, 820);
  EXPECT_EQ(ranges.open, 100);
  EXPECT_EQ(ranges.busy, 40);
  EXPECT_EQ(ranges.work_duration, 40 + 60 + 30) << "each counts once";
}

TEST(MarkedRanges, WorkWithoutAKnownCallCountsWhereItRan) {
  Survey survey = survey_with_ranges();
  survey.calls.clear();
  for (records::Launch& launch : survey.launches) launch.call = kNone;
  survey.copies[0].call = kNone;
  EXPECT_EQ(ranges_of(survey).at(0).launches, 2) << "those that began at 150 and 360";
  EXPECT_EQ(ranges_of(survey).at(1).launches, 0);
}

// A program that opens ranges of three names in any order, and gives the GPU work meanwhile.
Survey survey_with_random_ranges() {
  SurveyBuilder program;
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random()) % bound; };
  for (const char* name : {"step", "layer", "operator"}) program.draft().names.emplace_back(name);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t start = program.now();
    program.draft().ranges.push_back({{start, start + below(200) * kMicrosecond}, 0, 1, below(3)});
    program.launch({"void work(int)", 1 + below(100) * kMicrosecond});
    if (below(3) == 0) program.up(1 << 20);
    if (below(5) == 0) program.wait();
    program.host(below(50) * kMicrosecond);
  }
  return program.survey();
}

// The same numbers, computed record by record.
TEST(MarkedRanges, AgreeWithWhatIsCountedRecordByRecord) {
  const Survey survey = survey_with_random_ranges();
  const std::vector<MarkedRanges> all = ranges_of(survey);
  ASSERT_EQ(all.size(), 3U);
  for (const MarkedRanges& ranges : all) {
    const records::RangeTimes times(survey, survey.names[ranges.name]);
    std::int64_t launches = 0;
    std::int64_t work = 0;
    const auto add = [&](const records::Activity& activity) {
      if (times.has_work(survey, activity)) work += activity.time.duration();
    };
    for (const records::Launch& launch : survey.launches) {
      launches += times.has_work(survey, launch) ? 1 : 0;
      add(launch);
    }
    for (const records::Copy& copy : survey.copies) add(copy);
    for (const records::Fill& fill : survey.fills) add(fill);
    EXPECT_GT(launches, 0);
    EXPECT_EQ(ranges.launches, launches);
    EXPECT_EQ(ranges.work_duration, work);
    EXPECT_LE(ranges.busy, ranges.open);
  }
}

TEST(MarkedRanges, AreEmptyWithoutRanges) {
  Survey survey = survey_with_ranges();
  survey.ranges.clear();
  EXPECT_TRUE(ranges_of(survey).empty());
}

}  // namespace
}  // namespace warptune::survey::analysis::summaries
