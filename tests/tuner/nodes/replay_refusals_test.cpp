// What a node that replays recordings refuses, and what it says at its end. The sources are
// tuner/nodes/class_decisions.h and tuner/nodes/node_slot.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/node_fixture.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReplayRefusalsTest : public testing::NodeTest {};

TEST_F(ReplayRefusalsTest, OnlySizesWithoutARecordingAreRefusedInAReplay) {
  record(32);
  add_campaign("sizes = { N = [32, 128, 256] }\nbudget = 'all'\n");
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(task(0).state, fleet::TaskState::kDone);
  EXPECT_EQ(task(1).state, fleet::TaskState::kOpen);
  const std::vector<fleet::Refusal> refusals = store_.nodes().at(0).refusals;
  ASSERT_THAT(refusals, SizeIs(1));
  EXPECT_THAT(refusals[0].reason, HasSubstr("none is of toy N=128 and 1 other size"));
  EXPECT_THAT(refusals[0].tasks, ElementsAre(1U, 2U));
}

TEST_F(ReplayRefusalsTest, AClassWithoutAnyRecordingIsRefusedInAReplay) {
  record(32);
  add_campaign("sizes = { N = [128, 256] }\n");
  run();
  const std::vector<fleet::Refusal> refusals = store_.nodes().at(0).refusals;
  ASSERT_THAT(refusals, SizeIs(1));
  EXPECT_THAT(refusals[0].tasks, IsEmpty());
}

TEST_F(ReplayRefusalsTest, ANodeSaysThatItHasEnded) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  run();
  EXPECT_TRUE(store_.nodes().at(0).has_left);
}

}  // namespace
}  // namespace warptune::tuner::nodes
