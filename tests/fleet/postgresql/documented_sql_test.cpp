// The SQL of docs/fleet-postgresql.md makes users who can do what the page says.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

// The statements of each block of SQL, in the order of the page.
std::vector<std::vector<std::string>> documented_blocks() {
  std::vector<std::vector<std::string>> blocks;
  bool is_inside = false;
  for (const std::string& line :
       base::split(base::read_file(WARPTUNE_SOURCE_FOLDER "/docs/fleet-postgresql.md"), '\n')) {
    if (line == "```sql") {
      blocks.emplace_back();
      is_inside = true;
    } else if (line == "```") {
      is_inside = false;
    } else if (is_inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

void run_as(const TestServer& server, const std::string& database, const std::string& user,
            const std::vector<std::string>& statements) {
  Connection connection(server.uri(database, user));
  for (const std::string& statement : statements) connection.call(statement.c_str());
}

class DocumentedSqlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_SERVER();
    server_ = std::make_unique<TestServer>();
    blocks_ = documented_blocks();
    ASSERT_EQ(blocks_.size(), 4U) << "the tests below say what each block is for";
  }
  TestServer& server() { return *server_; }
  const std::vector<std::string>& block(std::size_t index) { return blocks_.at(index); }

 private:
  std::unique_ptr<TestServer> server_;
  std::vector<std::vector<std::string>> blocks_;
};

TEST_F(DocumentedSqlTest, TheOwnerMakesTheStoreAndItsUsers) {
  run_as(server(), "postgres", "postgres", block(0));
  make_postgresql_store(server().uri("fleet", "fleet_owner"));
  run_as(server(), "fleet", "fleet_owner", block(1));
  run_as(server(), "fleet", "fleet_owner", block(3));
  const auto alice = open_postgresql_store(server().uri("fleet", "alice"), Access::kAdministrator);
  alice->add_restricted_campaign(campaign_of("one", {class_of("sgemm")}, 1), "project_x");
  EXPECT_TRUE(
      open_postgresql_store(server().uri("fleet", "cluster"), Access::kNode)->lease(kNodeA, {{"one", 0}}));
  EXPECT_TRUE(
      open_postgresql_store(server().uri("fleet", "dashboard"), Access::kReader)->campaigns().empty());
  EXPECT_NO_THROW(make_postgresql_store(server().uri("fleet", "alice"))) << "any administrator migrates";
}

TEST_F(DocumentedSqlTest, AnOwnerWhoMayNotMakeRolesUsesThoseThatAreThere) {
  run_as(server(), "postgres", "postgres", {"CREATE ROLE fleet_owner LOGIN", block(0).at(1)});
  EXPECT_THROW(make_postgresql_store(server().uri("fleet", "fleet_owner")), base::InputError);
  run_as(server(), "postgres", "postgres", block(2));
  EXPECT_TRUE(make_postgresql_store(server().uri("fleet", "fleet_owner"))->campaigns().empty());
}

}  // namespace warptune::fleet::postgresql::testing
