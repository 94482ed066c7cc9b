#include "fleet/rows/snapshot.h"

#include <gmock/gmock.h>

#include <map>

#include "base/error.h"
#include "fleet/rows/row_batch.h"
#include "tests/fleet/rows/batches_only_store.h"
#include "tests/fleet/rows/filled_database.h"

namespace warptune::fleet::rows {
namespace {

class SnapshotTest : public FilledDatabase {
 protected:
  SnapshotTest() {
    fleet_.summaries = {{"nightly", "", 1000}};
    fleet_.content = {"nightly", {task_class()}, {task(), task()}};
  }

  // Publishes `rows` new rows as a batch of the node.
  void publish(int rows, const std::string& node) {
    if (!writer_) writer_.emplace(local_, folder_.path());
    add_rows(rows);
    fleet_.publish({{"nightly", 0, 1}, node, sequence_++}, writer_->next().value());
  }

  SnapshotCounts update(const std::optional<std::string>& own_node = {}) {
    return update_snapshot(fleet_, target_, {}, own_node);
  }

  std::uint64_t rows() const { return db::Store::open_existing(target_).totals().measurements; }

  // Four nodes of one model, one of which is slow.
  void make_suspect(const std::string& slow) {
    fleet_.known.clear();
    for (const std::string& id : {std::string("a"), std::string("b"), std::string("c"), slow}) {
      NodeRecord record;
      record.node.id = id;
      record.node.gpus = {{model::fictional_gpu(), {{"copy", id == slow ? 3e12 : 4e12, 0.0, {}, 1, {}}}}};
      fleet_.known.push_back(record);
    }
  }

  BatchesOnlyStore fleet_;
  std::optional<BatchWriter> writer_;
  std::uint64_t sequence_ = 0;
  std::filesystem::path target_ = folder_ / "cache/fleet/snapshot.db";
};

TEST_F(SnapshotTest, ACampaignThatCannotBeReadDoesNotHoldUpOthers) {
  fleet_.summaries = {{"first", "", 1}, {"nightly", "", 1000}};
  fleet_.missing = "first";
  fleet_.publish({{"first", 0, 1}, "a", 0}, "unread");
  fleet_.publish({{"nightly", 0, 1}, "b", 0}, "no batch");
  publish(2, "a");
  const SnapshotCounts counts = update();
  EXPECT_EQ(counts.rows, 2);
  EXPECT_EQ(counts.damaged, 1) << "this is still counted";
  EXPECT_THROW(update_snapshot(fleet_, folder_ / "one/rows.db", {"first", {}}, {}), base::InputError)
      << "the caller wanted this one";
}

TEST_F(SnapshotTest, OnlyNewBatchesAreRead) {
  EXPECT_EQ(update().batches, 0);
  EXPECT_EQ(rows(), 0) << "a store without rows gives an empty database";
  publish(2, "a");
  publish(1, "b");
  EXPECT_EQ(update().rows, 3);
  EXPECT_EQ(fleet_.reads, 2);
  EXPECT_EQ(update().batches, 0);
  EXPECT_EQ(fleet_.reads, 2);
  publish(1, "a");
  EXPECT_EQ(update().rows, 1);
  EXPECT_EQ(fleet_.reads, 3);
  EXPECT_EQ(rows(), 4);
}

TEST_F(SnapshotTest, AnotherCampaignOfTheSameNameHasItsOwnRows) {
  publish(2, "a");
  update();
  fleet_.summaries.push_back({"later", "", 3000});
  publish(1, "a");
  EXPECT_EQ(update().batches, 1) << "another campaign does not make it another store";
  EXPECT_EQ(rows(), 3);
  fleet_.summaries = {{"nightly", "", 4000}};
  EXPECT_EQ(update().batches, 2) << "the campaign was removed and added again: its batches are others";
  EXPECT_EQ(rows(), 3);
  fleet_.summaries.clear();
  EXPECT_EQ(update().batches, 0);
  EXPECT_EQ(rows(), 0) << "the rows of a campaign that was removed";
}

TEST_F(SnapshotTest, AReaderWhoMaySeeACampaignLaterGetsAllOfIt) {
  publish(2, "a");
  fleet_.summaries.clear();
  EXPECT_EQ(update().batches, 0);
  fleet_.summaries = {{"nightly", "", 1000}};
  EXPECT_EQ(update().rows, 2);
}

TEST_F(SnapshotTest, TheOldSnapshotRemainsUntilTheNewOneIsComplete) {
  publish(2, "a");
  publish(1, "slow");
  update();
  make_suspect("slow");
  fleet_.failing_read = fleet_.reads + 1;
  EXPECT_THROW(update(), base::MachineError);
  EXPECT_EQ(rows(), 3) << "the old one answers";
  EXPECT_FALSE(std::filesystem::exists(target_.string() + ".new"));
  fleet_.failing_read = 0;
  update();
  EXPECT_EQ(rows(), 2);
}

TEST_F(SnapshotTest, ASpoolHasOneSnapshotForEachFolder) {
  const std::filesystem::path folder = std::filesystem::current_path();
  EXPECT_EQ(snapshot_path("spool:store"), snapshot_path("spool:" + (folder / "store").string()));
  EXPECT_EQ(snapshot_path("spool:./a/../store"), snapshot_path("spool:store"));
  EXPECT_NE(snapshot_path("spool:store"), snapshot_path("spool:other"));
  EXPECT_NE(snapshot_path("postgresql://a@host/b"), snapshot_path("postgresql://a@host/c"));
}

TEST_F(SnapshotTest, AKilledUpdateIsContinued) {
  publish(2, "a");
  publish(1, "a");
  fleet_.failing_read = 2;
  EXPECT_THROW(update(), base::MachineError);
  fleet_.failing_read = 0;
  update();
  EXPECT_EQ(rows(), 3);
}

TEST_F(SnapshotTest, RowsOfASuspectNodeAreLeftOutUntilItIsAccepted) {
  publish(2, "a");
  publish(1, "slow");
  update();
  EXPECT_EQ(rows(), 3);
  make_suspect("slow");
  EXPECT_EQ(update().withheld, 1);
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(update().withheld, 1);
  EXPECT_EQ(update("slow").withheld, 0) << "its own rows are ranked for itself";
  EXPECT_EQ(rows(), 3);
  update();
  EXPECT_EQ(rows(), 2);
  fleet_.known.back().accepted = true;
  EXPECT_EQ(update().withheld, 0);
  EXPECT_EQ(rows(), 3);
}

TEST_F(SnapshotTest, ADamagedBatchIsLeftOutUntilItIsRepaired) {
  publish(2, "a");
  add_rows(1);
  const std::optional<std::string> repaired = writer_->next();
  fleet_.publish({{"nightly", 1, 1}, "a", 0}, "damaged");
  fleet_.publish({{"nightly", 2, 1}, "a", 0}, *repaired);
  const SnapshotCounts counts = update();
  EXPECT_EQ(counts.damaged, 2) << "there is no task 2";
  EXPECT_EQ(counts.rows, 2);
  EXPECT_EQ(update().damaged, 2) << "both are tried again";
  fleet_.replace({{"nightly", 1, 1}, "a", 0}, *repaired);
  EXPECT_EQ(update().rows, 1);
  EXPECT_EQ(update().damaged, 1);
}

TEST_F(SnapshotTest, ALostDatabaseIsMadeAgain) {
  publish(2, "a");
  update();
  std::filesystem::remove(target_);
  EXPECT_EQ(update().rows, 2);
  db::testing::spill(target_.string() + ".batches", "another version\n");
  EXPECT_EQ(update().batches, 1) << "without the list, everything is merged once more";
  EXPECT_EQ(rows(), 2);
}

}  // namespace
}  // namespace warptune::fleet::rows
