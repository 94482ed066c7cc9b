// A dump of a store is restored in another server, as docs/fleet-postgresql.md describes.
#include <gmock/gmock.h>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/ordinary_user.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

TEST(BackupTest, ARestoredStoreGoesOnInAnotherServer) {
  REQUIRE_SERVER();
  TestStore store;
  const auto administrator = store.connect(Access::kAdministrator);
  administrator->add_campaign(campaign_of("one", {class_of("sgemm")}, 3));
  const std::string digest = administrator->put_file("a bundle");
  const auto node = store.connect(Access::kNode);
  node->enter_node(node_of(kNodeA));
  const Lease lease = *node->lease(kNodeA, {{"one", 0}});
  node->publish({lease.key, kNodeA, 0}, "rows");
  // The other server has begun far fewer transactions.
  store.run_script(
      "DO $$ BEGIN FOR i IN 1..2000 LOOP BEGIN PERFORM pg_current_xact_id(); EXCEPTION WHEN "
      "division_by_zero THEN "
      "NULL; END; END LOOP; END $$");
  node->publish({lease.key, kNodeA, 1}, "more rows");
  const BatchList before = node->batches({}, "");
  const std::filesystem::path dump = store.server().folder() / "dump";
  run_program({*server_programs() / "pg_dump", "--format=custom", "--file", dump, store.uri("postgres")},
              store.server().folder() / "dump.log");

  TestServer other;
  prepare_store(other);  // Makes the roles, which belong to the server and not to the database.
  other.run_script("postgres", "SELECT 1");
  postgresql::Connection(other.uri("postgres", "postgres")).call("CREATE DATABASE restored");
  run_program({*server_programs() / "pg_restore", "--exit-on-error", "--dbname",
               other.uri("restored", "postgres"), dump},
              store.server().folder() / "restore.log");
  postgresql::make_postgresql_store(other.uri("restored", "administrator"));

  const auto restored = postgresql::open_postgresql_store(other.uri("restored", "node"), Access::kNode);
  EXPECT_EQ(restored->campaign("one"), administrator->campaign("one"));
  EXPECT_EQ(restored->file(digest), "a bundle");
  EXPECT_EQ(restored->batch({lease.key, kNodeA, 1}), "more rows");
  restored->publish({lease.key, kNodeA, 2}, "rows of later");
  EXPECT_EQ(restored->heartbeat(kNodeA, {lease.key}).at(0), LeaseState::kHeld);
  EXPECT_TRUE(restored->finish(kNodeA, lease.key, {}));
  const BatchList after = restored->batches({}, before.cursor);
  EXPECT_THAT(after.batches, ::testing::Contains(BatchName{lease.key, kNodeA, 2}));
  EXPECT_TRUE(restored->batches({}, after.cursor).batches.empty())
      << "restored batches are listed again and again";
}

}  // namespace warptune::fleet::postgresql::testing
