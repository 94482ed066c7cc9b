// A reader gets the role of a campaign when its rows are there already, and loses it again.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "fleet/postgresql/postgresql_store.h"
#include "fleet/rows/row_batch.h"
#include "fleet/rows/snapshot.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/rows/filled_database.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {
namespace {

using fleet::testing::kNodeA;
using fleet::testing::node_of;

class GrantedLaterTest : public rows::FilledDatabase {
 protected:
  void SetUp() override {
    REQUIRE_SERVER();
    rows::FilledDatabase::SetUp();
    store_ = std::make_unique<TestStore>();
    store_->run_script(
        "DROP ROLE IF EXISTS insider; DROP ROLE IF EXISTS late; DROP ROLE IF EXISTS project; CREATE ROLE "
        "project;"
        "CREATE ROLE insider LOGIN; GRANT project, warptune_node TO insider;"
        "CREATE ROLE late LOGIN; GRANT warptune_reader TO late");
    store_->connect(Access::kAdministrator)
        ->add_restricted_campaign({"nightly", {task_class()}, {task()}}, "project");
    node_ = open_postgresql_store(store_->uri("insider"), Access::kNode);
    node_->enter_node(node_of(kNodeA));
    lease_ = node_->lease(kNodeA, {{"nightly", 0}}).value().key;
    reader_ = open_postgresql_store(store_->uri("late"), Access::kReader);
    writer_ = std::make_unique<rows::BatchWriter>(local_, scratch_);
  }

  void publish(int count) {
    add_rows(count);
    node_->publish({lease_, kNodeA, sequence_++}, writer_->next().value());
  }
  // How many rows the reader's snapshot has after an update by the connection that it has had all the time.
  std::uint64_t rows_seen() {
    const std::filesystem::path snapshot = folder_ / "snapshot.db";
    rows::update_snapshot(*reader_, snapshot, {}, std::nullopt);
    return db::Store::open_existing(snapshot).totals().measurements;
  }

  std::unique_ptr<TestStore> store_;

 private:
  std::unique_ptr<FleetStore> node_;
  std::unique_ptr<FleetStore> reader_;
  std::unique_ptr<rows::BatchWriter> writer_;
  LeaseKey lease_;
  std::uint64_t sequence_ = 0;
};

TEST_F(GrantedLaterTest, AReaderGetsTheRowsThatWerePublishedBefore) {
  publish(2);
  EXPECT_EQ(rows_seen(), 0U);
  publish(1);
  EXPECT_EQ(rows_seen(), 0U);
  store_->run_script("GRANT project TO late");
  EXPECT_EQ(rows_seen(), 3U);
  publish(1);
  EXPECT_EQ(rows_seen(), 4U) << "it goes on where it was";
}

TEST_F(GrantedLaterTest, AReaderWhoLosesTheRoleLosesTheRowsUntilItIsGrantedAgain) {
  store_->run_script("GRANT project TO late");
  publish(2);
  EXPECT_EQ(rows_seen(), 2U);
  store_->run_script("REVOKE project FROM late");
  EXPECT_EQ(rows_seen(), 0U);
  publish(1);
  EXPECT_EQ(rows_seen(), 0U);
  store_->run_script("GRANT project TO late");
  EXPECT_EQ(rows_seen(), 3U);
}

TEST_F(GrantedLaterTest, ARoleMayComeThroughAnotherOne) {
  publish(2);
  EXPECT_EQ(rows_seen(), 0U);
  store_->run_script(
      "DROP ROLE IF EXISTS department; CREATE ROLE department; GRANT project TO department; GRANT department "
      "TO "
      "late");
  EXPECT_EQ(rows_seen(), 2U);
}

}  // namespace
}  // namespace warptune::fleet::postgresql::testing
