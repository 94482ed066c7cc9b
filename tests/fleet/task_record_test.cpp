#include "fleet/task_record.h"

#include <gtest/gtest.h>

namespace warptune::fleet {
namespace {

Attempt lost(std::uint64_t fence, const char* node) { return {fence, node, AttemptEnd::kLost}; }

TEST(TaskRecordTest, ThreeLossesOnTwoNodesQuarantine) {
  EXPECT_TRUE(is_to_be_quarantined({lost(1, "a"), lost(2, "b"), lost(3, "a")}, 0));
}

TEST(TaskRecordTest, OneBrokenNodeDoesNotQuarantine) {
  EXPECT_FALSE(is_to_be_quarantined({lost(1, "a"), lost(2, "a"), lost(3, "a"), lost(4, "a")}, 0));
  EXPECT_FALSE(is_to_be_quarantined({lost(1, "a"), lost(2, "b")}, 0));
}

TEST(TaskRecordTest, OnlyLossesSinceTheRetryCount) {
  const std::vector<Attempt> attempts{lost(1, "a"), lost(2, "b"), lost(3, "a"), lost(4, "b")};
  EXPECT_FALSE(is_to_be_quarantined(attempts, 3));
  EXPECT_TRUE(is_to_be_quarantined(attempts, 1));
}

TEST(TaskRecordTest, OtherEndsAreNoLosses) {
  EXPECT_FALSE(is_to_be_quarantined(
      {lost(1, "a"), lost(2, "b"), {3, "b", AttemptEnd::kGivenBack}, {4, "c", AttemptEnd::kCancelled}}, 0));
}

TEST(TaskRecordTest, NamesAreReadBack) {
  for (const TaskState state : {TaskState::kOpen, TaskState::kLeased, TaskState::kDone, TaskState::kFailed,
                                TaskState::kQuarantined, TaskState::kCancelled})
    EXPECT_EQ(parse_task_state(to_string(state)), state);
  for (const AttemptEnd end :
       {AttemptEnd::kRunning, AttemptEnd::kDone, AttemptEnd::kFailed, AttemptEnd::kLost,
        AttemptEnd::kGivenBack, AttemptEnd::kSuperseded, AttemptEnd::kCancelled})
    EXPECT_EQ(parse_attempt_end(to_string(end)), end);
  EXPECT_FALSE(parse_task_state("lost"));
  EXPECT_FALSE(parse_attempt_end("open"));
}

}  // namespace
}  // namespace warptune::fleet
