#include "fleet/rows/row_batch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/streams/zstd_text.h"
#include "tests/fleet/rows/filled_database.h"

namespace warptune::fleet::rows {
namespace {

using ::testing::IsEmpty;

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
  EXPECT_EQ(merge_batch(joined, *second, owner()).added, 3);
  EXPECT_EQ(merge_batch(joined, *first, owner()).added, 2);
  EXPECT_EQ(merge_batch(joined, *second, owner()).added, 0);
  EXPECT_THAT(joined.damage(), IsEmpty());
}

TEST_F(RowBatchTest, AChangedRowIsPublishedAgain) {
  BatchWriter writer(local_, folder_.path());
  add_rows(2);
  db::Store joined(folder_ / "joined.db");
  EXPECT_EQ(merge_batch(joined, writer.next().value(), owner()).added, 2);
  store().set_counters(1, {{"registers", 32.0}});
  const auto batch = writer.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(writer.rows(), 3);
  EXPECT_EQ(merge_batch(joined, *batch, owner()).updated, 1);
}

TEST_F(RowBatchTest, AnAttemptThatContinuesPublishesItsOwnRowsAlone) {
  BatchWriter first(local_, folder_.path());
  add_rows(2);
  const std::string earlier = first.next().value();
  const std::filesystem::path path = folder_ / "second.db";
  db::Store second(path);
  merge_batch(second, earlier, owner("a", 1));
  BatchWriter writer(path, folder_.path(), 2);
  EXPECT_FALSE(writer.next()) << "these rows are of the first attempt";
  second.reject(1, {model::Status::kWrongResult, "x[0] is 3"});
  EXPECT_FALSE(writer.next()) << "its session has not begun";
  second.begin_session(db::testing::session());
  const auto batch = writer.next();
  ASSERT_TRUE(batch);
  db::Store joined(folder_ / "joined.db");
  merge_batch(joined, *batch, owner("b", 2));
  merge_batch(joined, earlier, owner("a", 1));
  EXPECT_EQ(joined.totals().sessions, 2);
  EXPECT_EQ(joined.totals().measurements, 3) << "two rows, and the judgement of the second attempt";
  const std::vector<db::StoredMeasurement> latest = joined.measurements(db::testing::workload());
  EXPECT_EQ(std::count_if(latest.begin(), latest.end(),
                          [](const db::StoredMeasurement& row) {
                            return row.measurement.status == model::Status::kWrongResult;
                          }),
            1)
      << "it is the latest of its configuration";
  EXPECT_THAT(joined.damage(), IsEmpty());
}

TEST_F(RowBatchTest, RowsOfALaterAttemptAreLaterEvenIfItKnewNothingOfTheEarlierOne) {
  BatchWriter first(local_, folder_.path());
  add_rows(5);
  const std::string earlier = first.next().value();
  const std::filesystem::path path = folder_ / "second.db";
  BatchWriter writer(path, folder_.path(), 2);
  db::Store second(path);
  const db::StoredMeasurement row = store().measurements(db::testing::workload()).front();
  second.add_measurement(second.begin_session(db::testing::session()),
                         db::testing::measured(row.measurement.configuration, 1234.0));
  const std::string batch = writer.next().value();
  auto recovered = BatchWriter::recovered(path, folder_.path(), 2);
  ASSERT_TRUE(recovered);
  db::Store joined(folder_ / "joined.db");
  merge_batch(joined, batch, owner("b", 2));
  merge_batch(joined, earlier, owner("a", 1));
  EXPECT_EQ(merge_batch(joined, recovered->next().value(), owner("b", 2)).added, 0);
  EXPECT_EQ(joined.totals().measurements, 6);
  const std::vector<db::StoredMeasurement> latest = joined.measurements(db::testing::workload());
  EXPECT_EQ(std::count_if(
                latest.begin(), latest.end(),
                [](const db::StoredMeasurement& one) { return one.measurement.time->median_ns == 1234.0; }),
            1);
}

TEST_F(RowBatchTest, AfterAKillAllRowsOfTheAttemptArePublishedOnce) {
  EXPECT_FALSE(BatchWriter::recovered(local_, folder_.path())) << "there was no attempt";
  add_rows(1);
  BatchWriter writer(local_, folder_.path());
  const std::int64_t session = store().begin_session(db::testing::session());
  store().add_measurement(session, db::testing::measured(db::testing::configuration(77), 50.0));
  const std::string published = writer.next().value();
  store().add_measurement(session, db::testing::measured(db::testing::configuration(78), 40.0));
  auto recovered = BatchWriter::recovered(local_, folder_.path());
  ASSERT_TRUE(recovered);
  const std::string all = recovered->next().value();
  db::Store joined(folder_ / "joined.db");
  EXPECT_EQ(merge_batch(joined, published, owner()).added, 1);
  EXPECT_EQ(merge_batch(joined, all, owner()).added, 1);
  EXPECT_EQ(joined.totals().sessions, 1);
}

TEST_F(RowBatchTest, BatchesOfOneLeaseInARestoredStoreHaveOtherNamesAndRows) {
  std::vector<std::pair<std::uint64_t, std::string>> batches;
  // A store that was restored gives the same lease again, to the same node.
  for (const char* file : {"before.db", "restored.db"}) {
    const std::filesystem::path path = folder_ / file;
    BatchWriter writer(path, folder_.path());
    db::Store local(path);
    const std::int64_t session = local.begin_session(db::testing::session());
    for (int i = 0; i < 2; ++i) {
      local.add_measurement(
          session,
          db::testing::measured(db::testing::configuration(i + 10 * static_cast<int>(batches.size())), 50.0));
      std::string bytes = writer.next().value();
      batches.emplace_back(writer.sequence(), std::move(bytes));
    }
    EXPECT_EQ(batches.back().first, batches.rbegin()[1].first + 1) << "their order is known";
    auto recovered = BatchWriter::recovered(path, folder_.path());
    std::string all = recovered.value().next().value();
    batches.emplace_back(recovered->sequence(), std::move(all));
  }
  std::set<std::uint64_t> names;
  db::Store joined(folder_ / "joined.db");
  for (const auto& [sequence, bytes] : batches) {
    EXPECT_LT(sequence, std::uint64_t{1} << 53);
    names.insert(sequence);
    merge_batch(joined, bytes,
                owner_of("nightly 1", {{"nightly", 0, 1}, "a", sequence}, task_class(), task()));
  }
  EXPECT_EQ(names.size(), 6);
  EXPECT_EQ(joined.totals().measurements, 4)
      << "no row takes the place of another one, and none is there twice";
}

TEST_F(RowBatchTest, TheEndOfASessionIsPublished) {
  BatchWriter writer(local_, folder_.path());
  add_rows(1);
  ASSERT_TRUE(writer.next());
  EXPECT_FALSE(writer.next());
  store().finish_session(session_, 5);
  ASSERT_TRUE(writer.next());
  EXPECT_EQ(writer.rows(), 1);
}

TEST_F(RowBatchTest, NothingIsLeftInTheScratchFolder) {
  BatchWriter writer(local_, scratch_);
  add_rows(1);
  const auto batch = writer.next();
  ASSERT_TRUE(batch);
  db::Store joined(folder_ / "joined.db");
  merge_batch(joined, *batch, owner());
  EXPECT_THROW(merge_batch(joined, "no batch", owner()), base::InputError);
  EXPECT_THROW(merge_batch(joined, base::streams::zstd_compress("no database"), owner()), base::InputError);
  EXPECT_THROW(merge_batch(joined, batch->substr(0, batch->size() / 2), owner()), base::InputError);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_));
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
