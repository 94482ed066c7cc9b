#include "fleet/rows/row_batch.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/streams/zstd_text.h"
#include "db/pruning.h"
#include "tests/fleet/rows/filled_database.h"

namespace warptune::fleet::rows {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RowBatchTest : public FilledDatabase {};

TEST_F(RowBatchTest, EachBatchHoldsWhatIsNew) {
  BatchWriter writer(local_, folder_.path());
  EXPECT_FALSE(writer.next()) << "there is no database yet";
  add_rows(2);
  const auto first = writer.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(writer.next());
  add_rows(3);
  const auto second = writer.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(writer.rows(), 5);
  db::Store joined(folder_ / "joined.db");
  EXPECT_EQ(merge_batch(joined, *second, folder_.path()).added, 3);
  EXPECT_EQ(merge_batch(joined, *first, folder_.path()).added, 2);
  EXPECT_EQ(merge_batch(joined, *second, folder_.path()).added, 0);
  EXPECT_THAT(joined.damage(), IsEmpty());
}

TEST_F(RowBatchTest, AChangedRowIsPublishedAgain) {
  add_rows(2);
  BatchWriter writer(local_, folder_.path());
  EXPECT_FALSE(writer.next()) << "these rows came from other attempts";
  store().set_counters(1, {{"registers", 32.0}});
  const auto batch = writer.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(writer.rows(), 1);
  db::Store joined(folder_ / "joined.db");
  EXPECT_EQ(merge_batch(joined, *batch, folder_.path()).added, 1);
}

TEST_F(RowBatchTest, TheEndOfASessionIsPublished) {
  add_rows(1);
  BatchWriter writer(local_, folder_.path());
  store().finish_session(session_, 5);
  ASSERT_TRUE(writer.next());
  EXPECT_EQ(writer.rows(), 0);
}

TEST_F(RowBatchTest, NothingIsLeftInTheScratchFolder) {
  BatchWriter writer(local_, scratch_);
  add_rows(1);
  const auto batch = writer.next();
  ASSERT_TRUE(batch);
  db::Store joined(folder_ / "joined.db");
  merge_batch(joined, *batch, scratch_);
  EXPECT_THROW(merge_batch(joined, "no batch", scratch_), base::InputError);
  EXPECT_THROW(merge_batch(joined, base::streams::zstd_compress("no database"), scratch_), base::InputError);
  EXPECT_THROW(merge_batch(joined, batch->substr(0, batch->size() / 2), scratch_), base::InputError);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_));
}

TEST_F(RowBatchTest, ABatchRemovesNothing) {
  add_rows(2);
  db::Store joined(folder_ / "joined.db");
  merge_batch(joined, whole_batch(local_, folder_.path()), folder_.path());
  store().finish_session(session_, 5);
  db::PruneRequest request;
  request.protected_rows = true;
  EXPECT_EQ(store().prune(request).rows, 2);
  const db::MergeCounts counts = merge_batch(joined, whole_batch(local_, folder_.path()), folder_.path());
  EXPECT_EQ(counts.removed, 0);
  EXPECT_EQ(joined.totals().measurements, 2);
}

TEST_F(RowBatchTest, ABatchThatCouldNotBeWrittenComesAgain) {
  const std::filesystem::path place = folder_ / "place";
  db::testing::spill(place, "not a folder");
  BatchWriter writer(local_, place);
  add_rows(2);
  EXPECT_THROW(writer.next(), base::MachineError);
  std::filesystem::remove(place);
  std::filesystem::create_directory(place);
  ASSERT_TRUE(writer.next());
  EXPECT_EQ(writer.rows(), 2);
}

}  // namespace
}  // namespace warptune::fleet::rows
