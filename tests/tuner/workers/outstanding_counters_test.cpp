#include "tuner/workers/outstanding_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner::workers {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint64_t> ids_of(const std::vector<const protocol::Count*>& messages) {
  std::vector<std::uint64_t> ids;
  for (const protocol::Count* message : messages) ids.push_back(message->id);
  return ids;
}

class OutstandingCountersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    counters_.await({1, {}, {}}, 300.0);
    counters_.await({2, {}, {}}, 100.0);
    counters_.await({3, {}, {}}, 200.0);
  }
  OutstandingCounters counters_;
};

TEST_F(OutstandingCountersTest, WhatIsLostIsCountedAgainTheFastestFirst) {
  counters_.settle(3);
  counters_.note_worker_ended();
  EXPECT_THAT(ids_of(counters_.lost_counts()), ElementsAre(2, 1));
  EXPECT_TRUE(counters_.is_counting());
  EXPECT_FALSE(counters_.note_counted(1)) << "not its turn";
  EXPECT_TRUE(counters_.note_counted(2));
  EXPECT_TRUE(counters_.note_counted(1));
  EXPECT_FALSE(counters_.is_counting());
  EXPECT_FALSE(counters_.note_counted(1)) << "nobody asked";
}

TEST_F(OutstandingCountersTest, WhatEndsAWorkerByBeingCountedIsNotTriedAgainAndTheOthersAre) {
  counters_.lost_counts();
  counters_.note_counted(2);
  counters_.note_worker_ended();  // It was counting 3.
  EXPECT_THAT(ids_of(counters_.lost_counts()), ElementsAre(2, 1));
}

TEST_F(OutstandingCountersTest, NothingIsTriedWithoutEnd) {
  int turns = 0;
  for (; !counters_.empty() && turns < 100; ++turns) {
    for (const std::uint64_t id : ids_of(counters_.lost_counts())) counters_.note_counted(id);
    counters_.note_worker_ended();
  }
  EXPECT_EQ(turns, 3);
}

TEST_F(OutstandingCountersTest, ADisturbedCountIsTakenAgainOnce) {
  EXPECT_NE(counters_.take_again(1), nullptr);
  EXPECT_EQ(counters_.take_again(1), nullptr);
  EXPECT_EQ(counters_.take_again(7), nullptr) << "of no evaluation";
}

}  // namespace
}  // namespace warptune::tuner::workers
