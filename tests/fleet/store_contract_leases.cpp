// How tasks are leased, and how long leases last. store_contract.h says what these tests are.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(StoreContract, ALeaseHasATaskAndItsClass) {
  const Campaign added = add_one(1);
  const Lease lease = lease_one(kNodeA);
  EXPECT_EQ(lease.key.campaign, "one");
  EXPECT_EQ(lease.key.task, 0U);
  EXPECT_EQ(lease.task_class, added.classes[0]);
  EXPECT_EQ(lease.task, added.tasks[0]);
  const TaskRecord record = task_of_one(0);
  EXPECT_EQ(record.state, TaskState::kLeased);
  ASSERT_THAT(record.attempts, SizeIs(1));
  EXPECT_EQ(record.attempts[0].fence, lease.key.fence);
  EXPECT_EQ(record.attempts[0].node, kNodeA);
  EXPECT_EQ(record.attempts[0].end, AttemptEnd::kRunning);
  EXPECT_EQ(record.attempts[0].ended_ms, 0);
  EXPECT_LE(std::abs(record.attempts[0].started_ms - administrator().now_ms()), 60'000);
}

TEST_P(StoreContract, EachTaskIsLeasedOnce) {
  add_one(3);
  std::set<std::uint64_t> tasks;
  for (const std::string& id : {kNodeA, kNodeB, kNodeA}) tasks.insert(lease_one(id).key.task);
  EXPECT_THAT(tasks, ElementsAre(0, 1, 2));
  EXPECT_FALSE(node().lease(kNodeC, {{"one", 0}}));
}

TEST_P(StoreContract, OnlyNamedClassesAreLeased) {
  administrator().add_campaign(campaign_of("one", {class_of("sgemm", 9), class_of("scan")}, 1));
  const auto lease = node().lease(kNodeA, {{"one", 1}});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->task_class.kernel, "scan");
  EXPECT_FALSE(node().lease(kNodeA, {{"one", 1}}));
  EXPECT_FALSE(node().lease(kNodeA, {}));
}

TEST_P(StoreContract, TasksThatANodeRefusesAreNotLeased) {
  add_one(3);
  const std::vector<ClassKey> classes{{"one", 0}};
  const auto lease = node().lease(kNodeA, classes, {{"one", 0}, {"one", 2}, {"two", 1}});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->key.task, 1U);
  EXPECT_FALSE(node().lease(kNodeA, classes, {{"one", 0}, {"one", 2}}));
  EXPECT_EQ(node().open_classes().at(0).open, 2U);
  EXPECT_TRUE(node().lease(kNodeB, classes));
}

TEST_P(StoreContract, TasksOfTheLargestPriorityAreLeasedFirst) {
  administrator().add_campaign(campaign_of("one", {class_of("low", -1), class_of("high", 5)}, 2));
  administrator().add_campaign(campaign_of("two", {class_of("highest", 6), class_of("middle", 0)}, 1));
  const std::vector<ClassKey> classes{{"one", 0}, {"one", 1}, {"two", 0}, {"two", 1}};
  std::vector<std::string> kernels;
  while (const auto lease = node().lease(kNodeA, classes)) kernels.push_back(lease->task_class.kernel);
  EXPECT_THAT(kernels, ElementsAre("highest", "high", "high", "middle", "low", "low"));
}

TEST_P(StoreContract, AnUrgentTaskThatBecomesOpenIsLeasedNext) {
  administrator().add_campaign(campaign_of("one", {class_of("low"), class_of("high", 5)}, 3));
  const std::vector<ClassKey> classes{{"one", 0}, {"one", 1}};
  const auto first = node().lease(kNodeA, classes);
  ASSERT_TRUE(first);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(node().lease(kNodeB, classes)->task_class.kernel, "high");
  ASSERT_EQ(node().lease(kNodeB, classes)->task_class.kernel, "low");
  node().give_back(kNodeA, first->key, AttemptEnd::kGivenBack, "stopped");
  EXPECT_EQ(node().lease(kNodeB, classes)->key.task, first->key.task);
}

TEST_P(StoreContract, OpenClassesAreThoseWithTasksThatAreOpenOrLeased) {
  administrator().add_campaign(campaign_of("one", {class_of("sgemm", 2), class_of("scan")}, 2));
  const auto lease = node().lease(kNodeA, {{"one", 1}});
  ASSERT_TRUE(lease);
  std::vector<OpenClass> open = node().open_classes();
  std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  ASSERT_THAT(open, SizeIs(2));
  EXPECT_EQ(open[0].key, (ClassKey{"one", 0}));
  EXPECT_EQ(open[0].task_class, class_of("sgemm", 2));
  EXPECT_EQ(open[0].open, 2U);
  EXPECT_EQ(open[0].leased, 0U);
  EXPECT_EQ(open[1].open, 1U);
  EXPECT_EQ(open[1].leased, 1U);
  EXPECT_TRUE(node().finish(kNodeA, lease->key, {}));
  const auto last = node().lease(kNodeA, {{"one", 1}});
  EXPECT_TRUE(node().finish(kNodeA, last->key, {}));
  ASSERT_THAT(node().open_classes(), SizeIs(1));
  EXPECT_EQ(node().open_classes()[0].key.index, 0U);
  administrator().cancel("one");
  EXPECT_THAT(node().open_classes(), IsEmpty());
}

TEST_P(StoreContract, ALeaseEndsWhenNoHeartbeatCameInTime) {
  add_one(1);
  const Lease first = lease_one(kNodeA);
  age_leases(kLeaseMs - 15'000);
  EXPECT_FALSE(node().lease(kNodeB, {{"one", 0}}));
  age_leases(20'000);
  const Lease second = lease_one(kNodeB);
  EXPECT_EQ(second.key.task, first.key.task);
  EXPECT_GT(second.key.fence, first.key.fence);
  EXPECT_THAT(node().heartbeat(kNodeA, {first.key}), ElementsAre(LeaseState::kLost));
  EXPECT_THAT(node().heartbeat(kNodeB, {second.key}), ElementsAre(LeaseState::kHeld));
  const TaskRecord record = task_of_one(0);
  ASSERT_THAT(record.attempts, SizeIs(2));
  EXPECT_EQ(record.attempts[0].end, AttemptEnd::kLost);
  EXPECT_FALSE(record.attempts[0].reason.empty());
  EXPECT_GE(record.attempts[0].ended_ms, record.attempts[0].started_ms);
  EXPECT_EQ(record.attempts[1].end, AttemptEnd::kRunning);
}

TEST_P(StoreContract, AHeartbeatRenewsALease) {
  add_one(1);
  const Lease lease = lease_one(kNodeA);
  for (int i = 0; i < 4; ++i) {
    age_leases(kLeaseMs - 20'000);
    EXPECT_THAT(node().heartbeat(kNodeA, {lease.key}), ElementsAre(LeaseState::kHeld));
    EXPECT_FALSE(node().lease(kNodeB, {{"one", 0}}));
  }
}

TEST_P(StoreContract, AHeartbeatAnswersForEachLease) {
  add_one(1);
  administrator().add_campaign(campaign_of("two", {class_of("scan")}, 1));
  const Lease lost = lease_one(kNodeA);
  end_leases();
  lease_one(kNodeB);
  const Lease held = *node().lease(kNodeA, {{"two", 0}});
  EXPECT_THAT(node().heartbeat(kNodeA, {held.key, lost.key, {"one", 0, 77}}),
              ElementsAre(LeaseState::kHeld, LeaseState::kLost, LeaseState::kLost));
  EXPECT_THAT(node().heartbeat(kNodeA, {}), IsEmpty());
}

TEST_P(StoreContract, AnotherNodeCannotRenewALease) {
  add_one(1);
  const Lease lease = lease_one(kNodeA);
  EXPECT_THAT(node().heartbeat(kNodeB, {lease.key}), ElementsAre(LeaseState::kLost));
  EXPECT_FALSE(node().finish(kNodeB, lease.key, {}));
  EXPECT_EQ(task_of_one(0).state, TaskState::kLeased);
  EXPECT_THAT(node().heartbeat(kNodeA, {lease.key}), ElementsAre(LeaseState::kHeld));
}

TEST_P(StoreContract, ALeaseIsKnownOnEveryConnection) {
  add_one(1);
  const Lease lease = lease_one(kNodeA);
  const auto other = connect(Access::kNode);
  EXPECT_THAT(other->heartbeat(kNodeA, {lease.key}), ElementsAre(LeaseState::kHeld));
  EXPECT_TRUE(other->finish(kNodeA, lease.key, {}));
  EXPECT_EQ(task_of_one(0).state, TaskState::kDone);
}

TEST_P(StoreContract, AHeartbeatSaysThatTheNodeIsThere) {
  const auto seen = [&] {
    for (const NodeRecord& record : administrator().nodes())
      if (record.node.id == kNodeA) return record.seen_ms;
    return std::int64_t{0};
  };
  const std::int64_t before = seen();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  node().heartbeat(kNodeA, {});
  EXPECT_GT(seen(), before);
}

}  // namespace warptune::fleet::testing
