// Questions that few rows can answer read few whole rows, however many a workload has. The query plans
// (query_plans_test.cpp) cannot show this, because an index also finds all rows of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>

#include "db/store.h"
#include "model/own_metrics.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using testing::configuration;
using ::testing::ElementsAre;
using testing::failed;
using ::testing::IsEmpty;
using testing::measured;
using ::testing::SizeIs;

constexpr std::int64_t kRows = 200;

// Counts the whole rows of `measurement` that any connection reads while an object exists.
class WholeRowCounter {
 public:
  WholeRowCounter() {
    count() = 0;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch));
  }
  WholeRowCounter(const WholeRowCounter&) = delete;
  WholeRowCounter& operator=(const WholeRowCounter&) = delete;
  ~WholeRowCounter() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }

  static int& count() {
    static int rows = 0;
    return rows;
  }

 private:
  static int watch(sqlite3* connection, char** /*error*/, const void* /*api*/) {
    const auto note = [](unsigned /*type*/, void* /*context*/, void* statement, void* /*none*/) {
      const char* sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
      if (sql != nullptr && std::strstr(sql, "configuration.body") != nullptr) ++count();
      return 0;
    };
    return sqlite3_trace_v2(connection, SQLITE_TRACE_ROW, note, nullptr);
  }
};

// A session of `kRows` rows. Row b has b ns, 1000 - b J and b registers. Every fourth failed for one of two
// reasons. Row 3 is implausible.
class PartialReadsTest : public ::testing::Test {
 protected:
  PartialReadsTest() {
    Store store(path_);
    session_ = store.begin_session(testing::session());
    for (std::int64_t block = 1; block <= kRows; ++block) {
      if (block % 4 == 0) {
        const bool invalid = block % 8 == 0;
        store.add_measurement(session_,
                              failed(configuration(block),
                                     invalid ? model::Status::kLaunchInvalid : model::Status::kCompileFailed,
                                     invalid ? "too many threads" : "no such intrinsic"));
        continue;
      }
      model::Measurement row = measured(configuration(block), static_cast<double>(block));
      row.counters = {{model::own_metric::kEnergyJ, static_cast<double>(1000 - block)}};
      row.resources.registers_per_thread = block;
      if (block == 1) row.status = model::Status::kDropped;
      if (block == 3) row = failed(configuration(block), model::Status::kImplausible, "faster than the roof");
      store.add_measurement(session_, row);
    }
  }

  static std::int64_t block_of(const model::Measurement& row) {
    return std::get<std::int64_t>(*model::find(row.configuration, "BLOCK"));
  }

  std::vector<std::int64_t> blocks(const std::vector<StoredMeasurement>& rows) const {
    std::vector<std::int64_t> all;
    for (const StoredMeasurement& row : rows) all.push_back(block_of(row.measurement));
    return all;
  }

  void change(const std::string& sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "w.db";
  std::int64_t session_ = 0;
};

TEST_F(PartialReadsTest, TheFastestRowsOfASessionAreReadAlone) {
  const WholeRowCounter counter;
  const Store store = Store::open_existing(path_);
  EXPECT_THAT(blocks(store.fastest_of_session(session_, 3)), ElementsAre(2, 5, 6));
  EXPECT_EQ(WholeRowCounter::count(), 3);
}

TEST_F(PartialReadsTest, DroppedRowsFollowTheMeasuredOnesAndFailedOnesNeverAppear) {
  const Store store = Store::open_existing(path_);
  const std::vector<StoredMeasurement> all = store.fastest_of_session(session_, 10'000);
  EXPECT_THAT(all, SizeIs(149));
  EXPECT_EQ(block_of(all.back().measurement), 1);
  EXPECT_THAT(store.fastest_of_session(session_, 0), IsEmpty());
}

TEST_F(PartialReadsTest, ADamagedRowLeavesItsPlaceToTheNextOne) {
  change("UPDATE measurement SET low_ns = 4.25 WHERE median_ns IN (5, 6)");
  const Store store = Store::open_existing(path_);
  EXPECT_THAT(blocks(store.fastest_of_session(session_, 3)), ElementsAre(2, 7, 9));
}

TEST_F(PartialReadsTest, RowsAreCountedByStatusAndReasonWithoutReadingThem) {
  const WholeRowCounter counter;
  const Store store = Store::open_existing(path_);
  std::vector<std::string> texts;
  for (const OutcomeCount& outcome : store.outcome_counts(session_))
    texts.push_back(std::to_string(outcome.rows) + " " + std::string(model::to_string(outcome.status)) + " " +
                    outcome.reason);
  EXPECT_THAT(texts,
              ElementsAre("1 dropped ", "148 measured ", "1 implausible faster than the roof",
                          "25 compile_failed no such intrinsic", "25 launch_invalid too many threads"));
  EXPECT_EQ(WholeRowCounter::count(), 0);
}

TEST_F(PartialReadsTest, RowsOfOneStatusAreReadAlone) {
  const WholeRowCounter counter;
  const Store store = Store::open_existing(path_);
  EXPECT_THAT(blocks(store.session_measurements(session_, model::Status::kImplausible)), ElementsAre(3));
  EXPECT_EQ(WholeRowCounter::count(), 1);
}

TEST_F(PartialReadsTest, TheWinnerByAnObjectiveIsReadAlone) {
  const WholeRowCounter counter;
  const Store store = Store::open_existing(path_);
  const auto best_by = [&](const char* objective) {
    const std::vector<Winner> winners = store.winners("vector-add", "", model::Objective::parse(objective));
    return winners.empty() ? 0 : block_of(winners.front().best);
  };
  EXPECT_EQ(best_by("energy"), 199);
  EXPECT_EQ(best_by("-registers"), 199);
  EXPECT_EQ(best_by("time"), 2);
  EXPECT_EQ(best_by("time * energy / registers"), 199);
  EXPECT_EQ(best_by("dram__bytes.sum"), 0) << "no row has it";
  // Each winner is read, and for each objective but the time the fastest row, too. The defaults are looked
  // up.
  EXPECT_LE(WholeRowCounter::count(), 15);
}

TEST_F(PartialReadsTest, ADamagedBestRowIsNoWinnerByAnObjective) {
  change("UPDATE measurement SET low_ns = 4.25 WHERE median_ns = 199");
  const Store store = Store::open_existing(path_);
  const std::vector<Winner> winners = store.winners("vector-add", "", model::Objective::parse("energy"));
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(block_of(winners.front().best), 198);
}

TEST_F(PartialReadsTest, ValuesOfAnObjectiveAreThoseOfTheWholeRows) {
  const Store store = Store::open_existing(path_);
  const model::Objective objective = model::Objective::parse("time, energy * registers");
  std::vector<std::pair<std::int64_t, std::vector<double>>> expected;
  for (const StoredMeasurement& row : store.measurements(testing::workload())) {
    if (row.measurement.status != model::Status::kMeasured) continue;
    if (const auto values = objective.values(row.measurement)) expected.emplace_back(row.id, *values);
  }
  std::vector<std::pair<std::int64_t, std::vector<double>>> found;
  for (const ObjectiveValues& row : store.objective_values(testing::workload(), objective))
    found.emplace_back(row.id, row.parts);
  EXPECT_THAT(found, SizeIs(148));
  EXPECT_EQ(found, expected);
}

TEST_F(PartialReadsTest, OfKernelsWithTheSameHashEachConfigurationIsRatedOnce) {
  {
    Store store(path_);
    Session twin = testing::session();
    twin.workload.kernel = "twin";
    model::Measurement newer = measured(configuration(2), 1000.0);
    store.add_measurement(store.begin_session(twin), newer);
  }
  const Store store = Store::open_existing(path_);
  const std::vector<RankedId> ranked = store.ranked_ids(testing::workload(), model::Objective());
  EXPECT_THAT(ranked, SizeIs(148));
  EXPECT_EQ(ranked.front().value, 5.0);
  EXPECT_EQ(ranked.back().value, 1000.0);
}

TEST_F(PartialReadsTest, ReplayedRowsFollowAllMeasuredOnes) {
  {
    Store store(path_);
    model::Measurement replayed = measured(configuration(1000), 0.5);
    replayed.source = model::RowSource::kReplayed;
    store.add_measurement(session_, replayed);
  }
  const Store store = Store::open_existing(path_);
  const std::vector<RankedId> ranked = store.ranked_ids(testing::workload(), model::Objective());
  EXPECT_EQ(ranked.front().value, 2.0);
  EXPECT_EQ(ranked.back().value, 0.5);
  EXPECT_EQ(ranked.back().source, model::RowSource::kReplayed);
}

}  // namespace
}  // namespace warptune::db
