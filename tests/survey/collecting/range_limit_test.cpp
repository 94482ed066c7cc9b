#include "survey/collecting/range_limit.h"

#include <gtest/gtest.h>

#include "survey/records/survey.h"

namespace warptune::survey::collecting {

namespace {

using records::Index;
using records::Interval;
using records::kNone;

records::Launch launch(Interval time, Index call) {
  records::Launch result;
  result.time = time;
  result.call = call;
  return result;
}

// Two ranges "a" of 100 to 200 and 300 to 400, and a range "b" within the second one and one outside.
records::Survey survey_with_ranges() {
  records::Survey survey;
  survey.names = {"a", "b", "cudaLaunchKernel"};
  survey.processes.resize(2);
  survey.streams.resize(2);
  survey.streams[1].process = 1;
  survey.ranges = {
      {{100, 200}, 0, 1, 0}, {{300, 400}, 0, 1, 0}, {{310, 320}, 0, 1, 1}, {{500, 510}, 0, 1, 1}};
  survey.calls = {{{50, 60}, 0, 1, 2, records::CallKind::kLaunch},
                  {{150, 160}, 0, 2, 2, records::CallKind::kLaunch},
                  {{350, 360}, 1, 1, 2, records::CallKind::kLaunch},
                  {{390, 410}, 0, 1, 2, records::CallKind::kLaunch}};
  return survey;
}

TEST(RangeLimitTest, KeepsCallsThatRanWithinARangeOfTheirProcess) {
  records::Survey survey = survey_with_ranges();
  limit_to_ranges(survey, "a");
  ASSERT_EQ(survey.calls.size(), 2U);
  EXPECT_EQ(survey.calls[0].time.start, 150);
  EXPECT_EQ(survey.calls[1].time.start, 390);
}

TEST(RangeLimitTest, WorkIsWhereItsCallIs) {
  records::Survey survey = survey_with_ranges();
  survey.launches = {launch({220, 230}, 0), launch({250, 260}, 1), launch({900, 910}, 3)};
  limit_to_ranges(survey, "a");
  ASSERT_EQ(survey.launches.size(), 2U);
  EXPECT_EQ(survey.launches[0].time.start, 250);
  EXPECT_EQ(survey.launches[0].call, 0U);
  EXPECT_EQ(survey.launches[1].call, 1U);
  EXPECT_EQ(survey.run.window, (Interval{100, 910}));
}

TEST(RangeLimitTest, WorkWithoutACallIsWhereItStarts) {
  records::Survey survey = survey_with_ranges();
  survey.launches = {launch({110, 130}, kNone), launch({250, 260}, kNone)};
  limit_to_ranges(survey, "a");
  ASSERT_EQ(survey.launches.size(), 1U);
  EXPECT_EQ(survey.launches[0].time.start, 110);
}

// Asynchronous work may have been given long before it runs, and other processes may use the same GPU.
TEST(RangeLimitTest, KeepsForeignWorkThatRunsMeanwhile) {
  records::Survey survey = survey_with_ranges();
  survey.launches = {launch({70, 130}, 0), launch({310, 520}, 2), launch({450, 460}, kNone)};
  survey.launches[1].stream = 1;
  limit_to_ranges(survey, "a");
  ASSERT_EQ(survey.launches.size(), 2U);
  ASSERT_EQ(survey.calls.size(), 4U) << "with the calls that gave it";
  EXPECT_EQ(survey.calls[survey.launches[0].call].time.start, 50);
  EXPECT_EQ(survey.calls[survey.launches[1].call].time.start, 350);
  EXPECT_EQ(survey.run.window, (Interval{100, 410})) << "that of the ranges and what was given in them";
}

TEST(RangeLimitTest, NamesTheRangeThatWasPerhapsMeant) {
  records::Survey survey = survey_with_ranges();
  survey.names[0] = "forward";
  limit_to_ranges(survey, "forwards");
  EXPECT_EQ(survey.run.problem,
            "The program had no NVTX range with the name forwards (did you mean forward?).");
}

TEST(RangeLimitTest, KeepsOtherRangesWithin) {
  records::Survey survey = survey_with_ranges();
  limit_to_ranges(survey, "a");
  EXPECT_EQ(survey.ranges.size(), 3U);
  EXPECT_EQ(survey.run.problem, "");
}

TEST(RangeLimitTest, NothingIsLeftWithoutTheRange) {
  records::Survey survey = survey_with_ranges();
  survey.launches = {launch({120, 130}, 0)};
  survey.unlisted = {{0, 0, 5, 100}};
  limit_to_ranges(survey, "c");
  EXPECT_EQ(survey.run.problem, "The program had no NVTX range with the name c.");
  EXPECT_TRUE(survey.launches.empty());
  EXPECT_TRUE(survey.calls.empty());
  EXPECT_TRUE(survey.unlisted.empty());
  EXPECT_EQ(survey.run.window, Interval{});
}

}  // namespace

}  // namespace warptune::survey::collecting
