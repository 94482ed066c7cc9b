#include "tuner/nodes/back_off.h"

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

}  // namespace
}  // namespace warptune::tuner::nodes
