#include "tuner/nodes/pauses.h"

#include <gtest/gtest.h>

namespace warptune::tuner::nodes {
namespace {

using std::chrono::milliseconds;

TEST(BackOffTest, PausesGrowToAMinuteAndBeginAgainAfterASuccess) {
  BackOff back_off(milliseconds(2000));
  EXPECT_FALSE(back_off.is_waiting());
  EXPECT_EQ(back_off.next(), milliseconds(1000)) << "the first pause is at most a second";
  EXPECT_TRUE(back_off.is_waiting());
  EXPECT_EQ(back_off.next(), milliseconds(2000));
  for (int i = 0; i < 10; ++i) back_off.next();
  EXPECT_EQ(back_off.next(), milliseconds(60'000));
  back_off.note_success();
  EXPECT_FALSE(back_off.is_waiting());
  EXPECT_EQ(back_off.next(), milliseconds(1000));
}

TEST(BackOffTest, AStoppedNodeDoesNotRest) {
  base::Cancellation stop;
  stop.cancel();
  base::Random random(1);
  rest(std::chrono::hours(1000), random, stop);  // Ends at once, or the test never ends.
}

TEST(PublishPaceTest, AFastStoreGetsRowsAtTheUsualInterval) {
  PublishPace pace(milliseconds(5000));
  pace.note_published(milliseconds(20));
  EXPECT_EQ(pace.interval(), milliseconds(5000));
}

TEST(PublishPaceTest, ASlowStoreGetsThemMoreRarelyUntilItIsFastAgain) {
  PublishPace pace(milliseconds(5000));
  pace.note_published(milliseconds(2000));
  EXPECT_EQ(pace.interval(), milliseconds(20'000));
  pace.note_published(milliseconds(2000));
  EXPECT_EQ(pace.interval(), milliseconds(20'000)) << "it stays while the store is as slow";
  pace.note_published(milliseconds(20));
  EXPECT_EQ(pace.interval(), milliseconds(10'000));
  pace.note_published(milliseconds(20));
  pace.note_published(milliseconds(20));
  EXPECT_EQ(pace.interval(), milliseconds(5000));
}

TEST(PublishPaceTest, FailuresDoubleTheIntervalUpToItsBound) {
  PublishPace pace(milliseconds(5000));
  pace.note_failed();
  EXPECT_EQ(pace.interval(), milliseconds(10'000));
  for (int i = 0; i < 10; ++i) pace.note_failed();
  EXPECT_EQ(pace.interval(), milliseconds(60'000));
  pace.note_published(milliseconds(3'600'000));
  EXPECT_EQ(pace.interval(), milliseconds(60'000));
}

}  // namespace
}  // namespace warptune::tuner::nodes
