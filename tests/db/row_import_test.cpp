// Rows that were imported from files: their mark and rank, what counts as known, and what a merge makes of
// them.
#include "db/row_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/lookup.h"
#include "db/pruning.h"
#include "db/store.h"
#include "tests/db/killed_process.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kNow = 1700000009999;

class RowImportTest : public ::testing::Test {
 protected:
  static model::Recording recording(int rows, double first_ns = 50.0) {
    model::Recording recording;
    recording.workload = testing::workload();
    recording.default_configuration = testing::configuration(256);
    for (int i = 1; i <= rows; ++i)
      recording.measurements.push_back(testing::measured(testing::configuration(64 * i), first_ns + i));
    return recording;
  }

  static std::int64_t measure(Store& store, std::int64_t block, double time_ns,
                              model::RowSource source = model::RowSource::kMeasured) {
    Session session = testing::session();
    session.source = source;
    model::Measurement row = testing::measured(testing::configuration(block), time_ns);
    row.source = source;
    return store.add_measurement(store.begin_session(session), row);
  }

  // The block and the source of the winner.
  static std::string best(const Store& store, const char* objective = "time") {
    const std::vector<Winner> winners = store.winners("vector-add", "", model::Objective::parse(objective));
    if (winners.empty()) return "";
    const model::Measurement& best = winners.front().best;
    return model::to_text(*model::find(best.configuration, "BLOCK")) + " " +
           std::string(model::to_string(best.source));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(RowImportTest, StoresTheRowsAsImportedOnesOfASessionThatFitsItsChecksums) {
  Store store(folder_ / "w.db");
  const ImportCounts counts = store.import_rows(recording(3), kNow);
  EXPECT_EQ(counts.added, 3U);
  EXPECT_EQ(counts.known, 0U);
  const Session session = store.session(counts.session_id).value();
  EXPECT_EQ(session.source, model::RowSource::kImported);
  EXPECT_EQ(session.strategy, "import");
  EXPECT_EQ(session.started_ms, kNow);
  const std::vector<StoredMeasurement> rows = store.session_measurements(counts.session_id);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].measurement.source, model::RowSource::kImported);
  EXPECT_EQ(rows[0].measurement.time->median_ns, 51.0);
  EXPECT_EQ(rows[0].measurement.counters.size(), 2U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(RowImportTest, TheSameRowsAgainAddNothing) {
  Store store(folder_ / "w.db");
  store.import_rows(recording(3), kNow);
  const ImportCounts again = store.import_rows(recording(3), kNow + 1);
  EXPECT_EQ(again.added, 0U);
  EXPECT_EQ(again.known, 3U);
  EXPECT_EQ(again.session_id, 0);
  EXPECT_THAT(store.sessions(), SizeIs(1));
  // A file that has grown adds only its new rows.
  const ImportCounts grown = store.import_rows(recording(5), kNow + 2);
  EXPECT_EQ(grown.added, 2U);
  EXPECT_EQ(grown.known, 3U);
  EXPECT_EQ(store.totals().measurements, 5U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(RowImportTest, OtherResultsOfAnImportedConfigurationAreRefusedUntilTheEarlierOnesAreRemoved) {
  Store store(folder_ / "w.db");
  store.import_rows(recording(2), kNow);
  try {
    store.import_rows(recording(3, 40.0), kNow);
    FAIL() << "expected an error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("`warptune db prune --kernel vector-add --imported --with-best`"));
  }
  model::Recording counted = recording(1);
  counted.measurements[0].counters["energy_j"] = 1.0;
  EXPECT_THROW(store.import_rows(counted, kNow), base::InputError);
  EXPECT_EQ(store.totals().measurements, 2U);
  PruneRequest earlier;
  earlier.kernels = {"vector-add"};
  earlier.imported = true;
  earlier.protected_rows = true;
  store.prune(earlier);
  EXPECT_EQ(store.import_rows(recording(3, 40.0), kNow).added, 3U);
}

TEST_F(RowImportTest, ARowThatAnotherFormatRoundedIsTheSameRow) {
  Store store(folder_ / "w.db");
  store.import_rows(recording(2), kNow);
  model::Recording rounded = recording(2);
  for (model::Measurement& row : rounded.measurements) {
    row.time->median_ns += 0.04;
    for (auto& [name, value] : row.counters) value *= 1.000001;
    row.resources.blocks_per_sm = 0;
  }
  EXPECT_EQ(store.import_rows(rounded, kNow).known, 2U);
  EXPECT_EQ(store.totals().measurements, 2U);
  EXPECT_THROW(store.import_rows(recording(2, 50.2), kNow), base::InputError);
  rounded.measurements[0].counters.begin()->second *= 1.001;
  EXPECT_THROW(store.import_rows(rounded, kNow), base::InputError);
}

TEST_F(RowImportTest, RankBelowMeasuredAndReplayedRowsByEveryObjective) {
  Store store(folder_ / "w.db");
  store.import_rows(recording(2, 10.0), kNow);
  EXPECT_EQ(best(store), "64 imported");
  EXPECT_EQ(best(store, "time * 2"), "64 imported");
  measure(store, 512, 500.0, model::RowSource::kReplayed);
  EXPECT_EQ(best(store), "512 replayed");
  EXPECT_EQ(best(store, "time * 2"), "512 replayed");
  measure(store, 256, 900.0);
  EXPECT_EQ(best(store), "256 measured");
  EXPECT_EQ(best(store, "time * 2"), "256 measured");
  // A measured row takes the place of the imported one of its configuration, and a later import changes
  // nothing.
  const std::int64_t own = measure(store, 64, 950.0);
  measure(store, 192, 960.0);
  model::Recording later = recording(3, 5.0);
  later.measurements.erase(later.measurements.begin(), later.measurements.begin() + 2);
  EXPECT_EQ(store.import_rows(later, kNow).added, 1U);
  EXPECT_EQ(store.latest_measurement(testing::workload(), testing::configuration(64))->id, own);
  EXPECT_EQ(store.latest_measurement(testing::workload(), testing::configuration(192))->measurement.source,
            model::RowSource::kMeasured);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(RowImportTest, AnImportedWinnerAnswersOnlyWhereNoOtherCan) {
  Winner imported = testing::winner(testing::workload(), testing::configuration(64), 10.0);
  imported.best.source = model::RowSource::kImported;
  const Winner far =
      testing::winner(testing::workload(testing::workload().problem, testing::gpu(8, 0, 108, "A100")),
                      testing::configuration(128), 900.0);
  Question question;
  question.kernel = "vector-add";
  question.kernel_hash = testing::workload().kernel_hash;
  question.problem = testing::workload().problem;
  question.gpu = testing::gpu();
  EXPECT_EQ(look_up({imported, far}, question).tier, MatchTier::kPortable);
  EXPECT_EQ(look_up({imported}, question).tier, MatchTier::kExact);
}

TEST_F(RowImportTest, AFileThatTwoDatabasesImportedIsTheSameRowsWhenTheyAreMerged) {
  Store a(folder_ / "a.db");
  Store b(folder_ / "b.db");
  measure(b, 512, 500.0);
  a.import_rows(recording(4), kNow);
  b.import_rows(recording(4), kNow + 1000);
  const MergeCounts counts = a.merge(folder_ / "b.db");
  EXPECT_EQ(counts.added, 1U);
  EXPECT_EQ(counts.known, 4U);
  EXPECT_EQ(counts.refused, 0U);
  EXPECT_EQ(b.merge(folder_ / "a.db").added, 0U);
  EXPECT_EQ(best(a), "512 measured");
  EXPECT_EQ(best(b), "512 measured");
  EXPECT_THAT(a.damage(), IsEmpty());
  // After the merge, the rows are still known.
  EXPECT_EQ(a.import_rows(recording(4), kNow).added, 0U);
}

TEST_F(RowImportTest, RowsThatWereRemovedCanBeImportedAgainAndThenSurviveAMerge) {
  Store store(folder_ / "w.db");
  store.import_rows(recording(3), kNow);
  PruneRequest all;
  all.imported = true;
  all.protected_rows = true;
  EXPECT_EQ(store.prune(all).rows, 3U);
  EXPECT_EQ(store.import_rows(recording(3), kNow).added, 3U);
  { Store other(folder_ / "other.db"); }
  Store(folder_ / "other.db").merge(folder_ / "w.db");
  store.merge(folder_ / "other.db");
  EXPECT_EQ(store.totals().measurements, 3U);
  EXPECT_EQ(Store(folder_ / "other.db").totals().measurements, 3U);
}

TEST_F(RowImportTest, AnImportIsNotTheNewestGpu) {
  Store store(folder_ / "w.db");
  measure(store, 64, 100.0);
  model::Recording other = recording(1);
  other.workload.gpu = testing::gpu(8, 0, 108, "NVIDIA A100");
  store.import_rows(other, kNow + 1000000);
  ASSERT_THAT(store.gpus(), SizeIs(2));
  EXPECT_EQ(store.gpus().front().name, "NVIDIA H200");
}

TEST_F(RowImportTest, AKilledImportLeavesNothingOrAll) {
  const std::filesystem::path path = folder_ / "w.db";
  { Store store(path); }
  const model::Recording rows = recording(4000);
  std::vector<std::uint64_t> found;
  for (int kill = 0; kill < 8; ++kill) {
    testing::run_and_kill(std::chrono::milliseconds(10 + 25 * kill),
                          [&] { Store(path).import_rows(rows, kNow); });
    found.push_back(Store(path).totals().measurements);
    EXPECT_THAT(found.back(), ::testing::AnyOf(0U, 4000U));
  }
  EXPECT_EQ(found.front(), 0U);  // Else nothing was killed in the middle.
  Store store(path);
  store.import_rows(rows, kNow);
  EXPECT_EQ(store.totals().measurements, 4000U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

}  // namespace
}  // namespace warptune::db
