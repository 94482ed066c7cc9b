#include "survey/records/tracks.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <vector>

#include "tests/survey/synthetic_survey.h"

namespace warptune::survey::records {
namespace {

using ::testing::ElementsAre;

// A survey with calls of one thread at these times.
Survey with_calls(const std::vector<Interval>& times) {
  Survey survey = testing::small_survey();
  survey.launches.clear();
  survey.copies.clear();
  survey.fills.clear();
  survey.ranges.clear();
  survey.calls.clear();
  for (const Interval& time : times) survey.calls.push_back({time, 0, 77, 1, CallKind::kOther});
  return survey;
}

TEST(TracksTest, EachThreadAndStreamHasItsTracksInAFixedOrder) {
  const Survey survey = testing::small_survey();
  const Tracks tracks = tracks_of(survey, Nesting::kAllowed);
  std::vector<std::string> names;
  for (const Track& track : tracks.tracks) names.push_back(name_of(survey, track));
  EXPECT_THAT(names, ElementsAre("thread 77: ranges", "thread 77: calls", "thread 78: calls",
                                 "GPU 0, stream 7 (default)", "GPU 0, stream 13"));
  EXPECT_THAT(tracks.calls, ElementsAre(1, 2, 1));
  EXPECT_THAT(tracks.ranges, ElementsAre(0, 0));
}

TEST(TracksTest, RecordsOfAStreamThatOverlapAreOnSeveralTracks) {
  Survey survey = testing::small_survey();
  survey.fills[0].time = {107'000, 112'000};  // The launch before it ends at 108 us.
  const Tracks tracks = tracks_of(survey, Nesting::kAllowed);
  EXPECT_THAT(tracks.launches, ElementsAre(3, 5, 3));
  EXPECT_THAT(tracks.copies, ElementsAre(5));
  EXPECT_THAT(tracks.fills, ElementsAre(4));
  EXPECT_EQ(name_of(survey, tracks.tracks[4]), "GPU 0, stream 7 (default), 2");
}

TEST(TracksTest, NestedCallsShareATrackOnlyIfTheyMay) {
  const Survey survey = with_calls({{0, 100}, {0, 10}, {10, 50}, {60, 120}});
  EXPECT_THAT(tracks_of(survey, Nesting::kAllowed).calls, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(tracks_of(survey, Nesting::kForbidden).calls, ElementsAre(0, 1, 1, 1));
}

TEST(TracksTest, OfCallsWithOneStartTheLongestIsOutside) {
  const Survey survey = with_calls({{0, 10}, {0, 100}});
  EXPECT_THAT(outer_first(survey.calls), ElementsAre(1, 0));
  EXPECT_THAT(tracks_of(survey, Nesting::kAllowed).calls, ElementsAre(0, 0));
}

TEST(TracksTest, TheNumberOfTracksIsLimited) {
  const Survey survey = with_calls(std::vector<Interval>(1000, Interval{0, 100}));
  EXPECT_EQ(tracks_of(survey, Nesting::kForbidden).tracks.size(), kMaxLanes);
}

TEST(TracksTest, NoTwoRecordsOfATrackOverlap) {
  const Survey survey = testing::synthetic_survey(2000);
  const Tracks tracks = tracks_of(survey, Nesting::kForbidden);
  std::map<Index, std::map<std::int64_t, std::int64_t>> ends;  // The ends on each track, by the starts.
  const auto take = [&](const auto& rows, const std::vector<Index>& places) {
    ASSERT_EQ(rows.size(), places.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_TRUE(ends[places[i]].emplace(rows[i].time.start, rows[i].time.end).second);
  };
  take(survey.launches, tracks.launches);
  take(survey.copies, tracks.copies);
  take(survey.fills, tracks.fills);
  take(survey.calls, tracks.calls);
  take(survey.ranges, tracks.ranges);
  EXPECT_EQ(ends.size(), tracks.tracks.size());
  for (const auto& [track, records] : ends) {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const auto& [start, end] : records) {
      ASSERT_GE(start, last) << name_of(survey, tracks.tracks[track]);
      last = end;
    }
  }
}

}  // namespace
}  // namespace warptune::survey::records
