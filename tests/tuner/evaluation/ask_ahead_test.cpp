#include "tuner/evaluation/ask_ahead.h"

#include <gtest/gtest.h>

namespace warptune::tuner::evaluation {
namespace {

constexpr std::size_t kWorkers = 16;

TEST(AskAheadTest, HasTwoProgramsForEachWorkerAndFourForEachGpuOfWhatIsKnownInAdvance) {
  EXPECT_EQ(AskAhead(16, 1).wanted(0), 36U);
  EXPECT_EQ(AskAhead(16, 2).wanted(0), 40U);
  EXPECT_EQ(AskAhead(16, 1).wanted(30), 6U);
  EXPECT_EQ(AskAhead(16, 1).wanted(99), 0U);
}

TEST(AskAheadTest, WantsAsManyAsAreChosenBlindlyBeforeATimeIsKnown) {
  const AskAhead ahead(kWorkers, 1);
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 6U);
  EXPECT_EQ(ahead.wanted_of_search(4, 0), 2U);
  EXPECT_EQ(ahead.wanted_of_search(0, 7), 0U);
  EXPECT_EQ(AskAhead(2, 1).wanted_of_search(0, 0), 2U);
}

TEST(AskAheadTest, KeepsAllWorkersBusyIfTheGpuIsFaster) {
  AskAhead ahead(kWorkers, 1);
  ahead.note(1.0, 0.01);
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 16U);
  EXPECT_EQ(ahead.wanted_of_search(10, 1), 6U) << "what is being measured needs a successor";
  EXPECT_EQ(ahead.wanted_of_search(10, 3), 4U) << "two compiled programs wait";
  EXPECT_EQ(ahead.wanted_of_search(16, 0), 0U);
}

TEST(AskAheadTest, HasAsManyProgramsInTheMakingAsTheGpuNeeds) {
  AskAhead ahead(kWorkers, 1);
  ahead.note(0.99, 0.25);
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 6U) << "four, and half as many again";
  EXPECT_EQ(ahead.wanted_of_search(1, 1), 5U);
  AskAhead two(kWorkers, 2);
  two.note(0.99, 0.25);
  EXPECT_EQ(two.wanted_of_search(0, 0), 12U) << "two GPUs";
  EXPECT_EQ(two.wanted_of_search(4, 2), 8U);
}

TEST(AskAheadTest, WaitsForTheResultIfCompilingIsShort) {
  AskAhead ahead(kWorkers, 1);
  ahead.note(0.09, 1.0);  // 5 ms are added for the choice.
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 1U);
  EXPECT_EQ(ahead.wanted_of_search(0, 1), 0U);
  EXPECT_EQ(ahead.wanted_of_search(1, 0), 0U);
  AskAhead longer(kWorkers, 1);
  longer.note(0.11, 1.0);
  EXPECT_EQ(longer.wanted_of_search(0, 1), 1U);
  EXPECT_EQ(longer.wanted_of_search(1, 1), 0U);
}

TEST(AskAheadTest, FollowsTheTimes) {
  AskAhead ahead(kWorkers, 1);
  for (int i = 0; i < 50; ++i) ahead.note(0.99, 0.25);
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 6U);
  for (int i = 0; i < 200; ++i) ahead.note(0.05, 0.25);  // From now on programs are small.
  EXPECT_EQ(ahead.wanted_of_search(0, 0), 1U);
}

}  // namespace
}  // namespace warptune::tuner::evaluation
