#include "fleet/postgresql/schema.h"

#include <gmock/gmock.h>

#include <array>
#include <thread>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

using ::testing::HasSubstr;
using ::testing::Not;

class SchemaTest : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_SERVER(); }
  // A database without a store, or with one of this version.
  std::string new_database(bool has_store) {
    const std::string name = shared_server().next_database();
    postgresql::Connection(shared_server().uri("postgres", "postgres"))
        .call(("CREATE DATABASE " + name + (has_store ? " TEMPLATE made" : "")).c_str());
    return name;
  }
  std::string uri(const std::string& database, const std::string& user = "postgres") {
    return shared_server().uri(database, user);
  }
  std::string version(const std::string& database) {
    return shared_server().value(database, "SELECT version FROM warptune.store");
  }
};

// The sentence with which something is refused.
std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(SchemaTest, MakingAStoreTwiceKeepsIt) {
  const std::string database = new_database(false);
  postgresql::make_postgresql_store(uri(database))->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
  EXPECT_EQ(postgresql::make_postgresql_store(uri(database))->campaigns().size(), 1U);
}

TEST_F(SchemaTest, ManyAdministratorsMakeAStoreAtOnce) {
  const std::string database = new_database(false);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      postgresql::make_postgresql_store(uri(database));
      ++made;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 6);
}

TEST_F(SchemaTest, AnOlderStoreIsMigratedOnceAndKeepsItsContent) {
  const std::string database = new_database(true);
  postgresql::open_postgresql_store(uri(database, "administrator"), Access::kAdministrator)
      ->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
  const postgresql::Schema now = postgresql::this_schema();
  std::vector<std::string_view> steps(now.steps.begin(), now.steps.end());
  steps.push_back(
      "ALTER TABLE warptune.campaign ADD remark text NOT NULL DEFAULT 'none'; SELECT pg_sleep(0.1)");
  const std::string functions = std::string(now.functions) +
                                "CREATE FUNCTION warptune.remark() RETURNS text LANGUAGE sql AS 'SELECT "
                                "remark FROM warptune.campaign';";
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      postgresql::Connection connection(uri(database, "administrator"));
      postgresql::make_schema(connection, {steps, functions});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(version(database), std::to_string(steps.size()));
  EXPECT_EQ(shared_server().value(database, "SELECT warptune.remark()"), "none");

  // This program is now older than the store.
  const auto open = [&] { postgresql::open_postgresql_store(uri(database, "node"), Access::kNode); };
  EXPECT_THAT(refusal_of(open), HasSubstr("use a newer warptune"));
  EXPECT_THAT(refusal_of([&] { postgresql::make_postgresql_store(uri(database)); }),
              HasSubstr("use a newer warptune"));
}

TEST_F(SchemaTest, AMigrationThatFailsChangesNothing) {
  const std::string database = new_database(true);
  const postgresql::Schema now = postgresql::this_schema();
  std::vector<std::string_view> steps(now.steps.begin(), now.steps.end());
  steps.push_back("ALTER TABLE warptune.campaign ADD remark text; SELECT 1 / 0");
  postgresql::Connection connection(uri(database));
  EXPECT_THROW(postgresql::make_schema(connection, {steps, now.functions}), base::Error);
  EXPECT_EQ(version(database), std::to_string(now.steps.size()));
  EXPECT_NO_THROW(postgresql::open_postgresql_store(uri(database, "node"), Access::kNode)->campaigns());
}

TEST_F(SchemaTest, AStoreOfAnOlderVersionIsRefused) {
  const std::string database = new_database(true);
  shared_server().run_script(database, "UPDATE warptune.store SET version = 0");
  EXPECT_THAT(refusal_of([&] { postgresql::open_postgresql_store(uri(database, "node"), Access::kNode); }),
              HasSubstr("`warptune campaign init` migrates it"));
}

TEST_F(SchemaTest, ADatabaseWithoutAStoreIsRefused) {
  const std::string database = new_database(false);
  EXPECT_THAT(refusal_of([&] { postgresql::open_postgresql_store(uri(database, "node"), Access::kNode); }),
              HasSubstr("`warptune campaign init` makes one"));
}

TEST_F(SchemaTest, AUserWithoutItsRoleIsRefused) {
  const std::string database = new_database(true);
  EXPECT_THAT(refusal_of([&] { postgresql::open_postgresql_store(uri(database, "reader"), Access::kNode); }),
              HasSubstr("GRANT warptune_node TO \"reader\""));
  EXPECT_THAT(
      refusal_of([&] { postgresql::open_postgresql_store(uri(database, "node"), Access::kAdministrator); }),
      HasSubstr("GRANT warptune_administrator TO \"node\""));
  shared_server().run_script(database, "DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN");
  EXPECT_THAT(
      refusal_of([&] { postgresql::open_postgresql_store(uri(database, "stranger"), Access::kReader); }),
      HasSubstr("the user may not do this"));
}

TEST_F(SchemaTest, AUserWithoutRightsMakesNoStore) {
  const std::string database = new_database(false);
  EXPECT_THAT(refusal_of([&] { postgresql::make_postgresql_store(uri(database, "node")); }),
              HasSubstr("the user may not do this"));
  EXPECT_EQ(shared_server().value(database, "SELECT to_regnamespace('warptune')"), "");
}

TEST_F(SchemaTest, AUserWhoMayMakeRolesAndSchemasMakesAStore) {
  const std::string database = new_database(false);
  shared_server().run_script(
      database, "DROP ROLE IF EXISTS owner; CREATE ROLE owner LOGIN CREATEROLE; ALTER DATABASE " + database +
                    " OWNER TO owner");
  EXPECT_TRUE(postgresql::make_postgresql_store(uri(database, "owner"))->campaigns().empty());
  shared_server().run_script(database, "ALTER DATABASE " + database + " OWNER TO postgres");
}

}  // namespace warptune::fleet::postgresql::testing
