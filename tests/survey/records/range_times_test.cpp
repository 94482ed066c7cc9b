#include "survey/records/range_times.h"

#include <gtest/gtest.h>

namespace warptune::survey::records {
namespace {

// The ranges "a" of the first process are open from 100 to 250 and from 300 to 400.
Survey survey_with_ranges() {
  Survey survey;
  survey.names = {"a", "b"};
  survey.processes.resize(2);
  survey.streams.resize(2);
  survey.streams[1].process = 1;
  survey.ranges = {
      {{100, 200}, 0, 1, 0}, {{150, 250}, 0, 2, 0}, {{260, 280}, 0, 1, 1}, {{300, 400}, 0, 1, 0}};
  return survey;
}

TEST(RangeTimes, JoinRangesThatOverlap) {
  const RangeTimes times(survey_with_ranges(), "a");
  EXPECT_FALSE(times.has(0, 99));
  EXPECT_TRUE(times.has(0, 100));
  EXPECT_TRUE(times.has(0, 249));
  EXPECT_FALSE(times.has(0, 250));
  EXPECT_FALSE(times.has(0, 270));
  EXPECT_TRUE(times.has(0, 399));
  EXPECT_FALSE(times.has(0, 400));
  EXPECT_FALSE(times.has(1, 150)) << "another process";
}

TEST(RangeTimes, MeetWhatRunsDuringAPartOfARange) {
  const RangeTimes times(survey_with_ranges(), "a");
  EXPECT_TRUE(times.meets(0, {0, 101}));
  EXPECT_FALSE(times.meets(0, {0, 100}));
  EXPECT_TRUE(times.meets(0, {260, 500}));
  EXPECT_FALSE(times.meets(0, {250, 300}));
  EXPECT_FALSE(times.meets(1, {0, 500}));
  EXPECT_TRUE(times.meets({0, 500})) << "of any process";
  EXPECT_FALSE(times.meets({400, 500}));
}

TEST(RangeTimes, WorkIsWhereItsCallBegan) {
  Survey survey = survey_with_ranges();
  survey.calls = {{{90, 110}, 0, 1, 0}, {{110, 120}, 0, 1, 0}};
  const RangeTimes times(survey, "a");
  Activity work;
  work.time = {310, 320};
  EXPECT_TRUE(times.has_work(survey, work)) << "its call is unknown";
  work.call = 0;
  EXPECT_FALSE(times.has_work(survey, work));
  work.call = 1;
  work.time = {500, 600};
  EXPECT_TRUE(times.has_work(survey, work));
}

TEST(RangeTimes, OfAnEmptyOrUnknownNameAreEmpty) {
  EXPECT_TRUE(RangeTimes(survey_with_ranges(), "").empty());
  EXPECT_TRUE(RangeTimes(survey_with_ranges(), "c").empty());
  EXPECT_FALSE(RangeTimes(survey_with_ranges(), "b").empty());
}

}  // namespace
}  // namespace warptune::survey::records
