#include "tuner/nodes/publish_pace.h"

#include <gtest/gtest.h>

namespace warptune::tuner::nodes {
namespace {

using std::chrono::milliseconds;

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
