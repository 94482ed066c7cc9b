#include "fleet/postgresql/postgresql_store.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "base/error.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

class PostgresqlStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_SERVER();
    store_ = std::make_unique<TestStore>();
  }
  TestStore& store() { return *store_; }
  // Runs a statement as a user.
  postgresql::Rows run_as(const std::string& user, const std::string& statement) {
    return postgresql::Connection(store().uri(user)).call(statement.c_str());
  }
  // A user who may act as a node, and is a member of the role `team`.
  std::string team_member() {
    store().run_script(
        "DROP ROLE IF EXISTS member; DROP ROLE IF EXISTS team; CREATE ROLE team; CREATE ROLE member LOGIN;"
        "GRANT team, warptune_node TO member");
    return "member";
  }

 private:
  std::unique_ptr<TestStore> store_;
};

TEST_F(PostgresqlStoreTest, ALeaseWhoseAnswerWasLostIsGivenAgain) {
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 3));
  const std::string lease = "SELECT task, fence FROM warptune.lease('" + kNodeA +
                            "', 'request', '[{\"campaign\": \"one\", \"class\": 0}]', '[]')";
  const postgresql::Rows first = run_as("node", lease);
  const postgresql::Rows second = run_as("node", lease);
  EXPECT_EQ(first.text(0, 0), second.text(0, 0));
  EXPECT_EQ(first.text(0, 1), second.text(0, 1));
  EXPECT_EQ(store().value("SELECT count(*) FROM warptune.lease"), "1");
}

TEST_F(PostgresqlStoreTest, ANodeChangesTablesOnlyByItsFunctions) {
  for (const char* statement :
       {"INSERT INTO warptune.campaign (name, digest) VALUES ('x', 'y')",
        "UPDATE warptune.task SET state = 'done'", "DELETE FROM warptune.batch",
        "UPDATE warptune.node SET accepted = true", "TRUNCATE warptune.lease", "SELECT * FROM warptune.file",
        "SELECT * FROM warptune.lease", "DROP TABLE warptune.batch",
        "SELECT warptune.add_campaign('x', 'y', NULL, '[]', '[]')", "SELECT warptune.cancel('x')",
        "SELECT warptune.end_expired_leases()", "SELECT warptune.end_attempt(1, 1, 1, 'lost', '')",
        "CREATE TABLE warptune.other (x int)", "SET ROLE warptune_administrator"})
    EXPECT_THROW(run_as("node", statement), base::InputError) << statement;
  EXPECT_NO_THROW(run_as("node", "SELECT * FROM warptune.campaign"));
}

TEST_F(PostgresqlStoreTest, AReaderCallsNoFunctionOfNodes) {
  EXPECT_THROW(run_as("reader", "SELECT warptune.lease('a', 'b', '[]', '[]')"), base::InputError);
  EXPECT_THROW(run_as("reader", "SELECT warptune.publish('a', 0, 1, 'b', 0, '')"), base::InputError);
  EXPECT_THROW(run_as("reader", "SELECT * FROM warptune.file"), base::InputError);
}

TEST_F(PostgresqlStoreTest, ACampaignOfARoleIsHiddenFromOthers) {
  const std::string member = team_member();
  const auto administrator = store().connect(Access::kAdministrator);
  TaskClass secret = class_of("secret");
  secret.bundle = administrator->put_file("bundle of the team");
  administrator->add_restricted_campaign(campaign_of("one", {secret}, 2), "team");
  const auto insider = postgresql::open_postgresql_store(store().uri(member), Access::kNode);
  const auto lease = insider->lease(kNodeA, {{"one", 0}});
  ASSERT_TRUE(lease);
  insider->enter_node(node_of(kNodeA));
  insider->set_refusals(kNodeA, {{"one", 0, "for a test"}});
  insider->publish({lease->key, kNodeA, 0}, "rows");
  EXPECT_EQ(insider->file(secret.bundle), "bundle of the team");

  for (const Access access : {Access::kNode, Access::kReader}) {
    const auto other = store().connect(access);
    EXPECT_TRUE(other->campaigns().empty());
    EXPECT_TRUE(other->open_classes().empty());
    EXPECT_TRUE(other->batches({}, "").batches.empty());
    EXPECT_TRUE(other->nodes().at(0).refusals.empty());
    EXPECT_EQ(other->file(secret.bundle), std::nullopt);
    EXPECT_THROW(other->tasks("one"), base::InputError);
    EXPECT_THROW(other->batch({lease->key, kNodeA, 0}), base::InputError);
    for (const char* table : {"campaign", "class", "task", "attempt", "batch", "refusal"})
      EXPECT_EQ(
          run_as(access == Access::kNode ? "node" : "reader", std::string("SELECT * FROM warptune.") + table)
              .size(),
          0U)
          << table;
  }
  const auto node = store().connect(Access::kNode);
  EXPECT_FALSE(node->lease(kNodeB, {{"one", 0}}));
  EXPECT_THROW(node->finish(kNodeB, lease->key, {}), base::InputError);
  EXPECT_THROW(node->publish({lease->key, kNodeB, 1}, "rows"), base::InputError);
  EXPECT_THROW(node->heartbeat(kNodeB, {lease->key}), base::InputError);
  EXPECT_EQ(administrator->campaigns().size(), 1U);
}

TEST_F(PostgresqlStoreTest, ACampaignIsNotRestrictedToARoleThatIsMissing) {
  const auto administrator = store().connect(Access::kAdministrator);
  EXPECT_THROW(administrator->add_restricted_campaign(campaign_of("one", {class_of("a")}, 1), "no_such_role"),
               base::InputError);
  EXPECT_TRUE(administrator->campaigns().empty());
}

TEST_F(PostgresqlStoreTest, ANodeBelongsToTheUserWhoEnteredIt) {
  const auto member = postgresql::open_postgresql_store(store().uri(team_member()), Access::kNode);
  const auto node = store().connect(Access::kNode);
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 3));
  node->enter_node(node_of(kNodeA));
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  EXPECT_THROW(member->enter_node(node_of(kNodeA)), base::InputError);
  EXPECT_THROW(member->lease(kNodeA, {{"one", 0}}), base::InputError);
  EXPECT_THROW(member->finish(kNodeA, lease.key, {}), base::InputError);
  EXPECT_THROW(member->give_back(kNodeA, lease.key, AttemptEnd::kLost, ""), base::InputError);
  EXPECT_THROW(member->publish({lease.key, kNodeA, 0}, "rows"), base::InputError);
  EXPECT_THROW(member->set_refusals(kNodeA, {}), base::InputError);
  EXPECT_TRUE(node->finish(kNodeA, lease.key, {}));
}

TEST_F(PostgresqlStoreTest, ARestartOfTheServerLosesNoLease) {
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  const auto node = store().connect(Access::kNode);
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  store().server().stop();
  store().server().start();
  store().age_leases(kLeaseMs + 1'000);  // As if the server had been away for so long.
  EXPECT_FALSE(node->lease(kNodeB, {{"one", 0}}));
  EXPECT_EQ(node->heartbeat(kNodeA, {lease.key}).at(0), LeaseState::kHeld);
  store().age_leases(kLeaseMs + 1'000);
  EXPECT_TRUE(node->lease(kNodeB, {{"one", 0}})) << "leases are renewed once for each start";
}

TEST_F(PostgresqlStoreTest, ALargeStoreIsCountedForNodesOnceASecond) {
  const auto administrator = store().connect(Access::kAdministrator);
  const auto node = store().connect(Access::kNode);
  administrator->add_campaign(campaign_of("one", {class_of("sgemm")}, 6'000));
  EXPECT_EQ(node->open_classes().at(0).open, 6'000U);
  ASSERT_TRUE(node->lease(kNodeA, {{"one", 0}}));
  EXPECT_EQ(administrator->open_classes().at(0).open, 5'999U);
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  EXPECT_EQ(node->open_classes().at(0).open, 5'999U);
  EXPECT_EQ(node->open_classes().at(0).leased, 1U);
  administrator->cancel("one");
  EXPECT_TRUE(node->open_classes().empty());
}

TEST_F(PostgresqlStoreTest, ANodeCannotKeepOthersFromReading) {
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  const auto node = store().connect(Access::kNode);
  node->enter_node(node_of(kNodeA));
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  run_as("node", "SELECT warptune.enter_node('" + kNodeB + "', '{\"id\": 7}')");
  run_as("node", "SELECT warptune.finish('" + kNodeA + "', 'one', 0, 1, false, '[\"no outcome\"]')");
  ASSERT_EQ(node->nodes().size(), 1U);
  EXPECT_EQ(node->nodes()[0].node.id, kNodeA);
  const TaskRecord record = node->tasks("one").at(0);
  EXPECT_EQ(record.state, TaskState::kDone);
  EXPECT_EQ(record.attempts.at(0).outcome, std::nullopt);
}

TEST_F(PostgresqlStoreTest, NamesThatOthersWroteAreCheckedWhenTheyAreRead) {
  const auto administrator = store().connect(Access::kAdministrator);
  administrator->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  store().run_script(
      "INSERT INTO warptune.campaign (name, digest) VALUES (E'x\\nforged', 'y');"
      "INSERT INTO warptune.batch (campaign, task, fence, node, sequence, bytes) SELECT id, 0, 1, '../node', "
      "0, ''"
      " FROM warptune.campaign;"
      "INSERT INTO warptune.node (id, login, content) SELECT '../node', 'node',"
      " '{\"id\": \"../node\", \"name\": \"\", \"version\": \"\", \"gpus\": []}'");
  const auto reader = store().connect(Access::kReader);
  EXPECT_EQ(reader->campaigns().size(), 1);
  EXPECT_EQ(reader->batches({}, "").batches.size(), 0);
  EXPECT_EQ(reader->nodes().size(), 0);
}

TEST_F(PostgresqlStoreTest, TextsThatTheDatabaseDoesNotStoreAreReplaced) {
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
  const auto node = store().connect(Access::kNode);
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  node->give_back(kNodeA, lease.key, AttemptEnd::kLost, std::string("zero \0 and \xff", 12));
  EXPECT_EQ(node->tasks("one").at(0).attempts.at(0).reason, "zero \\u0000 and \\xff");
  TaskOutcome outcome;
  outcome.failures["broken \xff"] = 1;
  const Lease second = *node->lease(kNodeA, {{"one", 0}});
  EXPECT_TRUE(node->finish(kNodeA, second.key, outcome));
  EXPECT_EQ(
      node->tasks("one").at(second.key.task).attempts.back().outcome->failures.count("broken \xef\xbf\xbd"),
      1U);
}

TEST_F(PostgresqlStoreTest, BatchesOfTransactionsThatOvertookEachOtherAreListed) {
  store().connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  const auto node = store().connect(Access::kNode);
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  postgresql::Connection slow(store().uri("node"));
  BatchList list;
  {
    postgresql::Connection::Transaction transaction(slow);
    transaction.run(("SELECT warptune.publish('one', 0, 1, '" + kNodeA + "', 0, 'slow')").c_str());
    node->publish({lease.key, kNodeA, 1}, "fast");
    list = node->batches({}, "");
    ASSERT_EQ(list.batches.size(), 1U);
    EXPECT_EQ(list.batches[0].sequence, 1U);
    transaction.commit();
  }
  const std::vector<BatchName> later = node->batches({}, list.cursor).batches;
  EXPECT_THAT(later, ::testing::Contains(BatchName{lease.key, kNodeA, 0}));
}

}  // namespace warptune::fleet::postgresql::testing
