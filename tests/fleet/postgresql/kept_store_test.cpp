// A store that an earlier version has made, kept as a file: it is refused until it is migrated, and has its
// content then. The migration is in fleet/postgresql/schema.cpp.
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"
#include "fleet/postgresql/postgresql_store.h"
#include "fleet/postgresql/schema.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string make_kept_store() {
  std::string database = shared_server().next_database();
  postgresql::Connection(shared_server().uri("postgres", "postgres"))
      .call(("CREATE DATABASE " + database).c_str());
  const std::string kept = base::read_file(WARPTUNE_SOURCE_FOLDER "/tests/fleet/postgresql/data/store-1.sql");
  shared_server().run_script(database,
                             "CREATE SCHEMA warptune AUTHORIZATION warptune_administrator; SET ROLE "
                             "warptune_administrator;" +
                                 std::string(this_schema().steps[0]) + kept);
  return database;
}

TEST(KeptStoreTest, AStoreOfVersion1IsRefusedUntilItIsMigratedAndKeepsItsContent) {
  REQUIRE_SERVER();
  const std::string database = make_kept_store();
  const std::string address = shared_server().uri(database, "administrator");
  try {
    open_postgresql_store(address, Access::kReader);
    FAIL() << "the store was opened";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the store has version 1, and this program needs version"));
    EXPECT_THAT(error.what(), HasSubstr("`warptune campaign init` migrates it"));
  }
  make_postgresql_store(shared_server().uri(database, "postgres"));
  const auto store = open_postgresql_store(address, Access::kAdministrator);
  EXPECT_EQ(store->campaign("kept").tasks.at(1).sizes, (model::NamedValues{{"M", std::int64_t{128}}}));
  const std::vector<TaskRecord> tasks = store->tasks("kept");
  ASSERT_THAT(tasks, SizeIs(2));
  EXPECT_EQ(tasks[0].state, TaskState::kDone);
  EXPECT_EQ(tasks[0].attempts.at(0).outcome.value().evaluated, 7U);
  EXPECT_EQ(tasks[1].state, TaskState::kOpen);
  const NodeRecord node = store->nodes().at(0);
  EXPECT_EQ(node.node.name, "anna");
  EXPECT_EQ(node.node.gpus.at(0).gpu.name, "NVIDIA H200");
  EXPECT_FALSE(node.has_left);
  EXPECT_EQ(node.refusals, (std::vector<Refusal>{{"kept", 0, "no GPU fits"}}));
  const std::vector<BatchName> batches = store->batches({}, "").batches;
  ASSERT_THAT(batches, SizeIs(1));
  EXPECT_EQ(store->batch(batches[0]), "rows");
  EXPECT_EQ(shared_server().value(database, "SELECT encode(bytes, 'escape') FROM warptune.file"), "bundle");
  const std::optional<Lease> lease = store->lease(kNodeA, {{"kept", 0}});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->key.task, 1U);
}

}  // namespace warptune::fleet::postgresql::testing
