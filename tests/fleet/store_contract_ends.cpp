// How leases and tasks end: reports, losses, quarantine, cancelling. store_contract.h says what these tests
// are.
#include <gmock/gmock.h>

#include "base/error.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::testing {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TaskOutcome outcome_of(std::uint64_t evaluated) {
  TaskOutcome outcome;
  outcome.evaluated = evaluated;
  outcome.failures = {{"too many registers", 3}, {"\"quoted\"\nand two lines", 1}};
  outcome.gpu_seconds = 61.25;
  outcome.best_ns = 1234.5;
  outcome.gpu = "NVIDIA H200";
  return outcome;
}

// Reports
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, AReportClosesItsTask) {
  add_one(1);
  const Lease lease = lease_one(kNodeA);
  EXPECT_TRUE(node().finish(kNodeA, lease.key, outcome_of(100)));
  const TaskRecord record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kDone);
  ASSERT_THAT(record.attempts, SizeIs(1));
  EXPECT_EQ(record.attempts[0].end, AttemptEnd::kDone);
  EXPECT_EQ(record.attempts[0].outcome, outcome_of(100));
  EXPECT_EQ(record.attempts[0].node, kNodeA);
  EXPECT_GE(record.attempts[0].ended_ms, record.attempts[0].started_ms);
  end_leases();
  EXPECT_FALSE(node().lease(kNodeB, {{"one", 0}}));
}

TEST_P(StoreContract, AReportThatIsRepeatedHasTheSameAnswer) {
  add_one(1);
  const Lease lease = lease_one(kNodeA);
  EXPECT_TRUE(node().finish(kNodeA, lease.key, outcome_of(100)));
  EXPECT_TRUE(connect(Access::kNode)->finish(kNodeA, lease.key, outcome_of(100)));
  EXPECT_THAT(task_of_one(0).attempts, SizeIs(1));
}

TEST_P(StoreContract, ATaskThatCannotSucceedFails) {
  add_one(1);
  TaskOutcome failure;
  failure.failed = true;
  failure.reason = "the size is not a multiple of 16";
  EXPECT_TRUE(node().finish(kNodeA, lease_one(kNodeA).key, failure));
  const TaskRecord record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kFailed);
  EXPECT_EQ(record.attempts.at(0).end, AttemptEnd::kFailed);
  EXPECT_EQ(record.attempts.at(0).outcome, failure);
  EXPECT_FALSE(node().lease(kNodeB, {{"one", 0}}));
}

TEST_P(StoreContract, ALateReportIsStoredButClosesNothing) {
  add_one(1);
  const Lease late = lease_one(kNodeA);
  end_leases();
  const Lease second = lease_one(kNodeB);
  EXPECT_FALSE(node().finish(kNodeA, late.key, outcome_of(7)));
  EXPECT_FALSE(node().finish(kNodeA, late.key, outcome_of(7)));
  TaskRecord record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kLeased);
  ASSERT_THAT(record.attempts, SizeIs(2));
  EXPECT_EQ(record.attempts[0].end, AttemptEnd::kSuperseded);
  EXPECT_EQ(record.attempts[0].outcome, outcome_of(7));
  EXPECT_TRUE(node().finish(kNodeB, second.key, outcome_of(9)));
  record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kDone);
  EXPECT_EQ(record.attempts[1].outcome, outcome_of(9));
  EXPECT_EQ(record.attempts[0].outcome, outcome_of(7));
}

TEST_P(StoreContract, AReportAfterTheTaskIsDoneDoesNotCloseItAgain) {
  add_one(1);
  const Lease late = lease_one(kNodeA);
  end_leases();
  EXPECT_TRUE(node().finish(kNodeB, lease_one(kNodeB).key, outcome_of(9)));
  TaskOutcome failure = outcome_of(7);
  failure.failed = true;
  failure.reason = "late";
  EXPECT_FALSE(node().finish(kNodeA, late.key, failure));
  EXPECT_EQ(task_of_one(0).state, TaskState::kDone);
}

// Leases that end without an outcome
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, ALeaseThatIsGivenBackOpensItsTask) {
  for (const AttemptEnd end : {AttemptEnd::kLost, AttemptEnd::kGivenBack, AttemptEnd::kCancelled}) {
    const std::string name = "end-" + std::to_string(static_cast<int>(end));
    administrator().add_campaign(campaign_of(name, {class_of("sgemm")}, 1));
    const Lease first = *node().lease(kNodeA, {{name, 0}});
    node().give_back(kNodeA, first.key, end, "the GPU is gone");
    node().give_back(kNodeA, first.key, end, "the GPU is gone");
    TaskRecord record = administrator().tasks(name).at(0);
    EXPECT_EQ(record.state, TaskState::kOpen);
    ASSERT_THAT(record.attempts, SizeIs(1));
    EXPECT_EQ(record.attempts[0].end, end);
    EXPECT_EQ(record.attempts[0].reason, "the GPU is gone");
    EXPECT_EQ(record.attempts[0].outcome, std::nullopt);
    const auto second = node().lease(kNodeA, {{name, 0}});
    ASSERT_TRUE(second);
    EXPECT_GT(second->key.fence, first.key.fence);
  }
}

TEST_P(StoreContract, GivingBackALeaseThatHasEndedDoesNothing) {
  add_one(1);
  const Lease first = lease_one(kNodeA);
  end_leases();
  const Lease second = lease_one(kNodeB);
  node().give_back(kNodeA, first.key, AttemptEnd::kGivenBack, "stopped");
  EXPECT_EQ(task_of_one(0).state, TaskState::kLeased);
  EXPECT_EQ(task_of_one(0).attempts.at(0).end, AttemptEnd::kLost);
  EXPECT_TRUE(node().finish(kNodeB, second.key, {}));
  node().give_back(kNodeB, second.key, AttemptEnd::kLost, "too late");
  EXPECT_EQ(task_of_one(0).state, TaskState::kDone);
}

TEST_P(StoreContract, ThreeLossesOnTwoNodesQuarantine) {
  add_one(1);
  for (const std::string& id : {kNodeA, kNodeB, kNodeA}) {
    EXPECT_EQ(task_of_one(0).state, TaskState::kOpen);
    node().give_back(id, lease_one(id).key, AttemptEnd::kLost, "the node could not load the driver");
  }
  const TaskRecord record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kQuarantined);
  EXPECT_THAT(record.attempts, SizeIs(3));
  EXPECT_FALSE(node().lease(kNodeC, {{"one", 0}}));
}

TEST_P(StoreContract, LeasesThatEndBecauseNoHeartbeatCameQuarantineToo) {
  add_one(1);
  for (const std::string& id : {kNodeA, kNodeB, kNodeB}) {
    lease_one(id);
    end_leases();
  }
  EXPECT_FALSE(node().lease(kNodeC, {{"one", 0}}));
  EXPECT_EQ(task_of_one(0).state, TaskState::kQuarantined);
}

TEST_P(StoreContract, OneNodeAloneDoesNotQuarantine) {
  add_one(1);
  for (int i = 0; i < 5; ++i)
    node().give_back(kNodeA, lease_one(kNodeA).key, AttemptEnd::kLost, "the GPU is gone");
  EXPECT_EQ(task_of_one(0).state, TaskState::kOpen);
}

// What a person does
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, ARetryOpensWhatHasNotSucceeded) {
  administrator().add_campaign(campaign_of("one", {class_of("a"), class_of("b"), class_of("c")}, 1));
  for (const std::string& id : {kNodeA, kNodeB, kNodeA})
    node().give_back(id, lease_one(id).key, AttemptEnd::kLost, "the GPU is gone");
  TaskOutcome failure;
  failure.failed = true;
  EXPECT_TRUE(node().finish(kNodeA, node().lease(kNodeA, {{"one", 1}})->key, failure));
  EXPECT_TRUE(node().finish(kNodeA, node().lease(kNodeA, {{"one", 2}})->key, {}));
  EXPECT_EQ(task_of_one(0).state, TaskState::kQuarantined);
  EXPECT_EQ(task_of_one(1).state, TaskState::kFailed);
  EXPECT_EQ(administrator().retry("one"), 2U);
  EXPECT_EQ(task_of_one(0).state, TaskState::kOpen);
  EXPECT_EQ(task_of_one(1).state, TaskState::kOpen);
  EXPECT_EQ(task_of_one(2).state, TaskState::kDone);
  EXPECT_EQ(administrator().retry("one"), 0U);
}

TEST_P(StoreContract, LossesBeforeARetryDoNotCount) {
  add_one(1);
  std::uint64_t fence = 0;
  const auto lose = [&](const std::string& id) {
    const Lease lease = lease_one(id);
    EXPECT_GT(lease.key.fence, fence);
    fence = lease.key.fence;
    node().give_back(id, lease.key, AttemptEnd::kLost, "the GPU is gone");
  };
  for (const std::string& id : {kNodeA, kNodeB, kNodeA}) lose(id);
  EXPECT_EQ(administrator().retry("one"), 1U);
  lose(kNodeA);
  lose(kNodeB);
  EXPECT_EQ(task_of_one(0).state, TaskState::kOpen);
  lose(kNodeC);
  EXPECT_EQ(task_of_one(0).state, TaskState::kQuarantined);
  EXPECT_THAT(task_of_one(0).attempts, SizeIs(6));
}

TEST_P(StoreContract, CancellingIsToldByTheHeartbeat) {
  add_one(3);
  const Lease done = lease_one(kNodeA);
  EXPECT_TRUE(node().finish(kNodeA, done.key, {}));
  const Lease running = lease_one(kNodeB);
  EXPECT_EQ(administrator().cancel("one"), 2U);
  EXPECT_EQ(administrator().cancel("one"), 0U);
  EXPECT_TRUE(administrator().campaigns().at(0).cancelled);
  EXPECT_FALSE(node().lease(kNodeA, {{"one", 0}}));
  EXPECT_THAT(node().heartbeat(kNodeB, {running.key}), ElementsAre(LeaseState::kCancelled));
  EXPECT_FALSE(node().finish(kNodeB, running.key, outcome_of(5)));
  node().give_back(kNodeB, running.key, AttemptEnd::kCancelled, "cancelled");
  const TaskRecord record = task_of_one(running.key.task);
  EXPECT_EQ(record.state, TaskState::kCancelled);
  ASSERT_THAT(record.attempts, SizeIs(1));
  EXPECT_EQ(record.attempts[0].outcome, outcome_of(5));
  EXPECT_EQ(task_of_one(done.key.task).state, TaskState::kDone);
}

TEST_P(StoreContract, ACampaignThatHasEndedIsNotCancelled) {
  add_one(1);
  EXPECT_TRUE(node().finish(kNodeA, lease_one(kNodeA).key, {}));
  EXPECT_EQ(administrator().cancel("one"), 0U);
  EXPECT_FALSE(administrator().campaigns().at(0).cancelled);
  EXPECT_EQ(task_of_one(0).state, TaskState::kDone);
}

TEST_P(StoreContract, AnAttemptOfACancelledCampaignIsCancelled) {
  add_one(1);
  lease_one(kNodeA);
  administrator().cancel("one");
  const TaskRecord record = task_of_one(0);
  ASSERT_THAT(record.attempts, SizeIs(1));
  EXPECT_EQ(record.attempts[0].end, AttemptEnd::kCancelled);
  EXPECT_GE(record.attempts[0].ended_ms, record.attempts[0].started_ms);
}

TEST_P(StoreContract, ACancelledCampaignThatIsRetriedRunsAgain) {
  add_one(2);
  const Lease first = lease_one(kNodeA);
  EXPECT_EQ(administrator().cancel("one"), 2U);
  EXPECT_EQ(administrator().retry("one"), 2U);
  EXPECT_FALSE(administrator().campaigns().at(0).cancelled);
  EXPECT_FALSE(node().finish(kNodeA, first.key, outcome_of(5)));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(node().finish(kNodeB, lease_one(kNodeB).key, {}));
  const std::map<TaskState, std::uint64_t> expected{{TaskState::kDone, 2}};
  EXPECT_EQ(administrator().campaigns().at(0).tasks, expected);
}

// Removing
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, ACampaignThatHasEndedIsRemovedWithAllThatItHas) {
  const Campaign one = add_one(2);
  administrator().add_campaign(campaign_of("two", {class_of("scan")}, 1));
  const Lease lease = lease_one(kNodeA);
  node().publish({lease.key, kNodeA, 0}, "rows");
  node().publish({lease.key, kNodeA, 1}, "more rows");
  const BatchName other{node().lease(kNodeB, {{"two", 0}})->key, kNodeB, 0};
  node().publish(other, "rows of another campaign");
  EXPECT_THROW(administrator().remove("one", false), base::InputError) << "a task runs";
  EXPECT_EQ(administrator().tasks("one").size(), 2) << "nothing was removed";
  administrator().cancel("one");
  EXPECT_EQ(administrator().remove("one", false), (RemovedCampaign{2, 2}));
  EXPECT_THROW(administrator().tasks("one"), base::InputError);
  EXPECT_THROW(administrator().remove("one", false), base::InputError) << "it is gone";
  EXPECT_THAT(administrator().campaigns(), SizeIs(1));
  EXPECT_THAT(administrator().batches({}, "").batches, ElementsAre(other));
  administrator().add_campaign(one);
  EXPECT_THAT(administrator().batches({"one", {}}, "").batches, SizeIs(0)) << "a new campaign of the name";
  EXPECT_EQ(lease_one(kNodeA).key.fence, 1);
}

TEST_P(StoreContract, ACampaignThatRunsIsRemovedByForce) {
  add_one(2);
  const Lease lease = lease_one(kNodeA);
  EXPECT_EQ(administrator().remove("one", true), (RemovedCampaign{2, 0}));
  EXPECT_THROW(node().finish(kNodeA, lease.key, {}), base::InputError);
  EXPECT_THROW(node().publish({lease.key, kNodeA, 0}, "late rows"), base::InputError);
  EXPECT_THAT(node().open_classes(), SizeIs(0));
}

TEST_P(StoreContract, OnlyAnAdministratorRemovesACampaign) {
  add_one(1);
  for (const Access access : {Access::kNode, Access::kReader})
    EXPECT_THROW(connect(access)->remove("one", true), base::InputError);
  EXPECT_EQ(administrator().tasks("one").size(), 1);
}

}  // namespace warptune::fleet::testing
