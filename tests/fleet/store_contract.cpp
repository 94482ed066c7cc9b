// Campaigns, files, nodes and rights. store_contract.h says what these tests are.
#include "tests/fleet/store_contract.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/hash.h"

namespace warptune::fleet::testing {

using ::testing::IsEmpty;
using ::testing::SizeIs;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContract);

// Campaigns
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, ACampaignIsReadBackWithAllTasksOpen) {
  const Campaign added = campaign_of("two-classes", {class_of("sgemm", 3), class_of("scan")}, 3);
  administrator().add_campaign(added);
  EXPECT_EQ(node().campaign("two-classes"), added);
  const std::vector<TaskRecord> tasks = administrator().tasks("two-classes");
  ASSERT_THAT(tasks, SizeIs(6));
  for (std::uint64_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(tasks[i].task, i);
    EXPECT_EQ(tasks[i].state, TaskState::kOpen);
    EXPECT_THAT(tasks[i].attempts, IsEmpty());
  }
}

TEST_P(StoreContract, ASummaryCountsTheTasksInEachState) {
  const std::int64_t before = administrator().now_ms();
  const Campaign added = add_one(5);
  const Lease done = lease_one(kNodeA);
  const Lease failed = lease_one(kNodeA);
  lease_one(kNodeA);
  EXPECT_TRUE(node().finish(kNodeA, done.key, {}));
  TaskOutcome failure;
  failure.failed = true;
  failure.reason = "the size is not a multiple of 16";
  EXPECT_TRUE(node().finish(kNodeA, failed.key, failure));
  const std::vector<CampaignSummary> all = administrator().campaigns();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].name, "one");
  EXPECT_EQ(all[0].digest, added.digest());
  EXPECT_FALSE(all[0].cancelled);
  const std::map<TaskState, std::uint64_t> expected{
      {TaskState::kOpen, 2}, {TaskState::kLeased, 1}, {TaskState::kDone, 1}, {TaskState::kFailed, 1}};
  EXPECT_EQ(all[0].tasks, expected);
  EXPECT_GE(all[0].added_ms, before - 1'000);
  EXPECT_LE(all[0].added_ms, administrator().now_ms() + 1'000);
}

TEST_P(StoreContract, AddingTheSameCampaignAgainChangesNothing) {
  const Campaign added = add_one(2);
  const Lease lease = lease_one(kNodeA);
  administrator().add_campaign(added);
  EXPECT_EQ(task_of_one(lease.key.task).state, TaskState::kLeased);
  EXPECT_THAT(administrator().campaigns(), SizeIs(1));
}

TEST_P(StoreContract, AnotherCampaignOfTheSameNameIsRefused) {
  const Campaign added = add_one(2);
  EXPECT_THROW(administrator().add_campaign(campaign_of("one", {class_of("sgemm")}, 3)), base::InputError);
  EXPECT_EQ(administrator().campaign("one"), added);
  EXPECT_THAT(administrator().tasks("one"), SizeIs(2));
}

TEST_P(StoreContract, ABadNameIsRefused) {
  for (const char* name : {"", "../one", "a/b", ".one", "a b", "one'"})
    EXPECT_THROW(administrator().add_campaign(campaign_of(name, {class_of("sgemm")}, 1)), base::InputError)
        << name;
  EXPECT_THAT(administrator().campaigns(), IsEmpty());
}

TEST_P(StoreContract, ACampaignThatIsNotThereIsRefused) {
  FleetStore& store = administrator();
  EXPECT_THROW(store.campaign("none"), base::InputError);
  EXPECT_THROW(store.tasks("none"), base::InputError);
  EXPECT_THROW(store.cancel("none"), base::InputError);
  EXPECT_THROW(store.retry("none"), base::InputError);
  EXPECT_THROW(store.batches({"none", {}}, ""), base::InputError);
  EXPECT_THROW(store.campaign("../one"), base::InputError);
  EXPECT_THROW(node().publish({{"none", 0, 1}, kNodeA, 0}, "rows"), base::InputError);
  EXPECT_THROW(node().finish(kNodeA, {"none", 0, 1}, {}), base::InputError);
}

TEST_P(StoreContract, AClassOfACampaignThatIsNotThereHasNoTasks) {
  add_one(1);
  EXPECT_FALSE(node().lease(kNodeA, {{"none", 0}, {"one", 7}}));
}

TEST_P(StoreContract, ConnectionsSeeWhatOthersHaveDone) {
  const auto other = connect(Access::kReader);
  EXPECT_THAT(other->campaigns(), IsEmpty());
  add_one(1);
  EXPECT_THAT(other->campaigns(), SizeIs(1));
  lease_one(kNodeA);
  EXPECT_EQ(other->tasks("one").at(0).state, TaskState::kLeased);
}

// Files
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, FilesAreKeptUnderTheHashOfTheirContent) {
  std::string bytes = "bundle\n";
  bytes.push_back('\0');
  bytes += std::string(100'000, '\xff');
  const std::string digest = administrator().put_file(bytes);
  EXPECT_EQ(digest, base::hash_hex(bytes));
  EXPECT_EQ(administrator().put_file(bytes), digest);
  EXPECT_EQ(node().file(digest), bytes);
  EXPECT_EQ(node().file(administrator().put_file("")), "");
}

TEST_P(StoreContract, AFileThatIsNotThereIsNone) {
  EXPECT_EQ(node().file(std::string(32, '0')), std::nullopt);
  EXPECT_EQ(node().file("../VERSION"), std::nullopt);
}

TEST_P(StoreContract, AFileThatIsTooLargeIsNotStored) {
  EXPECT_THROW(administrator().put_file(std::string(kMaxFileBytes + 1, 'x')), base::InputError);
}

// Nodes
// ----------------------------------------------------------------------------------------------------

NodeRecord record_of(FleetStore& store, const std::string& id) {
  for (const NodeRecord& record : store.nodes())
    if (record.node.id == id) return record;
  throw std::runtime_error("the node is missing");
}

TEST_P(StoreContract, ANodeIsReadBack) {
  Node entered = node_of(kNodeA);
  entered.gpus[0].roofs.push_back({"copy", 3.5e12, 0.002, 1980.0, 1'700'000'000'000, 13000});
  node().enter_node(entered);
  const NodeRecord record = record_of(administrator(), kNodeA);
  EXPECT_EQ(record.node.name, entered.name);
  EXPECT_EQ(record.node.version, entered.version);
  ASSERT_THAT(record.node.gpus, SizeIs(1));
  EXPECT_EQ(record.node.gpus[0].gpu, entered.gpus[0].gpu);
  ASSERT_THAT(record.node.gpus[0].roofs, SizeIs(1));
  EXPECT_EQ(record.node.gpus[0].roofs[0].value, 3.5e12);
  EXPECT_FALSE(record.accepted);
  EXPECT_GE(record.seen_ms, record.entered_ms);
  EXPECT_LE(std::abs(record.entered_ms - administrator().now_ms()), 60'000);
  EXPECT_THAT(administrator().nodes(), SizeIs(3));
}

TEST_P(StoreContract, RefusalsAreReplacedAndARenewedEntryRemovesThem) {
  add_one(1);
  const Refusal first{"one", 0, "the node has no key of the definition's signer"};
  const Refusal second{"one", 0, "the definition has another hash"};
  node().set_refusals(kNodeA, {first});
  node().set_refusals(kNodeA, {second});
  EXPECT_EQ(record_of(administrator(), kNodeA).refusals, std::vector<Refusal>{second});
  EXPECT_THAT(record_of(administrator(), kNodeB).refusals, IsEmpty());
  node().enter_node(node_of(kNodeA));
  EXPECT_THAT(record_of(administrator(), kNodeA).refusals, IsEmpty());
}

TEST_P(StoreContract, ARefusalMayNameTasks) {
  add_one(3);
  const Refusal refusal{"one", 0, "there is no recording", {0, 2}};
  node().set_refusals(kNodeA, {refusal});
  EXPECT_EQ(record_of(administrator(), kNodeA).refusals, std::vector<Refusal>{refusal});
}

TEST_P(StoreContract, ANodeThatLeavesIsGoneUntilItEntersAgain) {
  EXPECT_FALSE(record_of(administrator(), kNodeA).has_left);
  node().leave_node(kNodeA);
  node().leave_node(kNodeA);
  EXPECT_TRUE(record_of(administrator(), kNodeA).has_left);
  EXPECT_FALSE(record_of(administrator(), kNodeB).has_left);
  node().enter_node(node_of(kNodeA));
  EXPECT_FALSE(record_of(administrator(), kNodeA).has_left);
  EXPECT_NO_THROW(node().leave_node(std::string(32, 'f')));
  EXPECT_THAT(administrator().nodes(), SizeIs(3));
}

TEST_P(StoreContract, AnAcceptedNodeStaysAcceptedWhenItEntersAgain) {
  administrator().accept_node(kNodeB);
  node().enter_node(node_of(kNodeB));
  EXPECT_TRUE(record_of(administrator(), kNodeB).accepted);
  EXPECT_FALSE(record_of(administrator(), kNodeA).accepted);
  EXPECT_THROW(administrator().accept_node(std::string(32, 'f')), base::InputError);
}

// Rights
// ----------------------------------------------------------------------------------------------------

TEST_P(StoreContract, AReaderChangesNothing) {
  add_one(2);
  const Lease lease = lease_one(kNodeA);
  const auto reader = connect(Access::kReader);
  EXPECT_THROW(reader->add_campaign(campaign_of("two", {class_of("scan")}, 1)), base::InputError);
  EXPECT_THROW(reader->cancel("one"), base::InputError);
  EXPECT_THROW(reader->lease(kNodeA, {{"one", 0}}), base::InputError);
  EXPECT_THROW(reader->heartbeat(kNodeA, {lease.key}), base::InputError);
  EXPECT_THROW(reader->finish(kNodeA, lease.key, {}), base::InputError);
  EXPECT_THROW(reader->publish({lease.key, kNodeA, 0}, "rows"), base::InputError);
  EXPECT_THROW(reader->enter_node(node_of(kNodeA)), base::InputError);
  EXPECT_EQ(reader->campaigns().at(0).tasks.at(TaskState::kLeased), 1U);
  EXPECT_EQ(reader->open_classes().at(0).open, 1U);
  EXPECT_THAT(reader->batches({}, "").batches, IsEmpty());
}

TEST_P(StoreContract, ANodeOnlyLeasesHeartbeatsAndReports) {
  add_one(1);
  EXPECT_THROW(node().add_campaign(campaign_of("two", {class_of("scan")}, 1)), base::InputError);
  EXPECT_THROW(node().cancel("one"), base::InputError);
  EXPECT_THROW(node().retry("one"), base::InputError);
  EXPECT_THROW(node().accept_node(kNodeA), base::InputError);
  EXPECT_THROW(node().put_file("bundle"), base::InputError);
  EXPECT_THAT(administrator().campaigns(), SizeIs(1));
  EXPECT_EQ(task_of_one(0).state, TaskState::kOpen);
}

}  // namespace warptune::fleet::testing
