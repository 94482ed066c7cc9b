#include "db/pruning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "model/own_metrics.h"
#include "tests/db/killed_process.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class PruningTest : public ::testing::Test {
 protected:
  // Ten measured rows (100 to 109 ns, the default among them), a dropped and two failed ones. The third
  // fastest is preferred, the fourth confirmed.
  static std::int64_t fill(Store& store, const model::Workload& workload = testing::workload(),
                           std::int64_t finished_ms = 1700000001000) {
    const std::int64_t session = store.begin_session(testing::session(workload));
    for (int i = 0; i < 10; ++i) {
      model::Measurement row = testing::measured(testing::configuration(32 * (i + 1)), 100.0 + i * 0.1);
      if (i == 3) row.counters[model::own_metric::kVerifiedLaunches] = 100.0;
      const std::int64_t id = store.add_measurement(session, row);
      if (i == 2) store.set_preferred(id);
    }
    model::Measurement dropped = testing::measured(testing::configuration(1000), 50.0);
    dropped.status = model::Status::kDropped;
    store.add_measurement(session, dropped);
    for (const int block : {2000, 3000})
      store.add_measurement(
          session, testing::failed(testing::configuration(block), model::Status::kCompileFailed, "x"));
    if (finished_ms != 0) store.finish_session(session, finished_ms);
    return session;
  }

  // The blocks of the configurations that have rows.
  static std::set<std::string> blocks(const Store& store,
                                      const model::Workload& workload = testing::workload()) {
    std::set<std::string> found;
    for (const StoredMeasurement& row : store.measurements(workload))
      found.insert(model::to_text(*model::find(row.measurement.configuration, "BLOCK")));
    return found;
  }

  testing::TemporaryFolder folder_;
  Store store_{folder_ / "w.db"};
};

TEST_F(PruningTest, RemovesFailedRowsOnly) {
  fill(store_);
  PruneRequest request;
  request.failed = true;
  const PruneReport report = store_.prune(request);
  EXPECT_EQ(report.rows, 2U);
  ASSERT_THAT(report.workloads, SizeIs(1));
  EXPECT_EQ(report.workloads[0].kernel, "vector-add");
  EXPECT_EQ(report.workloads[0].gpu, "NVIDIA H200");
  EXPECT_EQ(report.workloads[0].left, 11U);
  EXPECT_EQ(store_.totals().measurements, 11U);
  EXPECT_EQ(blocks(store_).count("2000"), 0U);
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, KeepsTheBestOfEachWorkloadAndWhatIsProtected) {
  fill(store_);
  const std::string winner = model::to_text(store_.winners("vector-add", "").at(0).best.configuration);
  PruneRequest request;
  request.beyond = 2;
  const PruneReport report = store_.prune(request);
  // 32 and 64 are the fastest, 96 is preferred and wins, 128 is confirmed, 256 is the default.
  EXPECT_THAT(blocks(store_), UnorderedElementsAre("32", "64", "96", "128", "256", "2000", "3000"));
  EXPECT_EQ(report.kept, 3U);
  EXPECT_EQ(report.rows, 6U);
  EXPECT_EQ(model::to_text(store_.winners("vector-add", "").at(0).best.configuration), winner);
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, WithTheBestNothingIsLeft) {
  fill(store_);
  const model::Workload small = testing::workload({{"N", std::int64_t{64}}, {"dtype", std::string("f32")}},
                                                  testing::gpu(8, 0, 108, "NVIDIA A100"));
  fill(store_, small);
  PruneRequest request;
  request.gpu_key = testing::gpu().key();
  request.protected_rows = true;
  const PruneReport report = store_.prune(request);
  EXPECT_EQ(report.rows, 13U);
  EXPECT_EQ(report.sessions, 1U);
  EXPECT_THAT(store_.winners("vector-add", ""), SizeIs(1));
  EXPECT_THAT(store_.gpus(), SizeIs(1));
  EXPECT_THAT(store_.damage(), IsEmpty());
  PruneRequest named;
  named.kernels = {"vector-add"};
  named.protected_rows = true;
  EXPECT_EQ(store_.prune(named).rows, 13U);
  const Totals totals = store_.totals();
  EXPECT_EQ(totals.kernels + totals.gpus + totals.workloads + totals.sessions + totals.measurements, 0U);
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, ADryRunSaysTheSameAndRemovesNothing) {
  fill(store_);
  PruneRequest request;
  request.failed = true;
  request.dry_run = true;
  EXPECT_EQ(Store::open_existing(folder_ / "w.db").prune(request).rows, 2U);
  EXPECT_EQ(store_.totals().measurements, 13U);
  request.dry_run = false;
  EXPECT_EQ(store_.prune(request).rows, 2U);
}

TEST_F(PruningTest, SelectsByAgeAndByKernel) {
  fill(store_);
  PruneRequest old;
  old.before_ms = 1700000000123;  // The time of the measured rows; the failed ones are younger.
  EXPECT_EQ(store_.prune(old).rows, 0U);
  old.before_ms = 1700000000124;
  old.kernels = {"another"};
  EXPECT_EQ(store_.prune(old).rows, 0U);
  old.kernels = {"another", "vector-add"};
  EXPECT_EQ(store_.prune(old).rows, 8U);  // 11 without the preferred one, the confirmed one and the default.
  EXPECT_EQ(store_.totals().measurements, 5U);
}

TEST_F(PruningTest, ARunningSessionKeepsItsRows) {
  Session session = testing::session();
  session.started_ms = base::unix_time_ms();
  const std::int64_t id = store_.begin_session(session);
  store_.add_measurement(id, testing::failed(testing::configuration(1), model::Status::kCompileFailed, "x"));
  PruneRequest request;
  request.failed = true;
  EXPECT_EQ(store_.prune(request).in_use, 1U);
  EXPECT_EQ(store_.totals().measurements, 1U);
  store_.finish_session(id, base::unix_time_ms());
  EXPECT_EQ(store_.prune(request).rows, 1U);
}

TEST_F(PruningTest, AMergeDoesNotBringRowsBackAndRemovesThemElsewhere) {
  fill(store_);
  store_.back_up(folder_ / "copy.db");
  PruneRequest request;
  request.failed = true;
  store_.prune(request);
  const MergeCounts back = store_.merge(folder_ / "copy.db");
  EXPECT_EQ(back.added, 0U);
  EXPECT_EQ(store_.totals().measurements, 11U);
  Store copy(folder_ / "copy.db");
  EXPECT_EQ(copy.merge(folder_ / "w.db").removed, 2U);
  EXPECT_EQ(copy.totals().measurements, 11U);
  // A whole session stays away, too.
  PruneRequest all;
  all.kernels = {"vector-add"};
  all.protected_rows = true;
  store_.prune(all);
  EXPECT_EQ(store_.merge(folder_ / "copy.db").added, 0U);
  EXPECT_EQ(store_.totals().sessions, 0U);
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, OnlyImportedRowsAreRemovedIfOnlyTheyAreNamed) {
  const std::int64_t session = fill(store_);
  Session imported = testing::session();
  imported.source = model::RowSource::kImported;
  model::Measurement row = testing::measured(testing::configuration(4000), 1.0);
  row.source = model::RowSource::kImported;
  store_.add_measurement(store_.begin_session(imported), row);
  PruneRequest request;
  request.imported = true;
  EXPECT_EQ(store_.prune(request).rows, 1U);
  EXPECT_THAT(store_.session_measurements(session), SizeIs(13));
}

// Measures a configuration, then finds it wrong in a later session. Returns the second session.
std::int64_t add_rejected(Store& store, const model::NamedValues& configuration) {
  const std::int64_t first = store.begin_session(testing::session());
  store.add_measurement(first, testing::measured(configuration, 1.0));
  store.finish_session(first, 1700000001000);
  const std::int64_t second = store.begin_session(testing::session());
  store.add_measurement(second, testing::failed(configuration, model::Status::kWrongResult, "differs"));
  store.finish_session(second, 1700000002000);
  return second;
}

TEST_F(PruningTest, AFailedRowStaysAsLongAsAnOlderRowOfItsConfigurationWouldWin) {
  fill(store_);
  add_rejected(store_, testing::configuration(5000));
  PruneRequest request;
  request.failed = true;
  for (const bool with_best : {false, true}) {
    request.protected_rows = with_best;
    const PruneReport report = store_.prune(request);
    EXPECT_EQ(report.rows, with_best ? 0U : 2U);
    EXPECT_EQ(report.kept, 1U);
    EXPECT_EQ(model::to_text(store_.winners("vector-add", "").at(0).best.configuration),
              model::to_text(testing::configuration(96)));
  }
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, ASlowerLatestRowStaysAsLongAsAConfirmedOlderOneStays) {
  const std::int64_t session = fill(store_);
  // The confirmed configuration was measured again, and is slow now.
  store_.add_measurement(session, testing::measured(testing::configuration(128), 500.0));
  PruneRequest request;
  request.beyond = 2;
  store_.prune(request);
  EXPECT_EQ(store_.latest_measurement(testing::workload(), testing::configuration(128))
                ->measurement.time->median_ns,
            500.0);
  EXPECT_THAT(store_.damage(), IsEmpty());
}

TEST_F(PruningTest, APartialCopyOfASessionThatIsPrunedLeavesTheLaterRowsElsewhere) {
  const std::int64_t session = fill(store_, testing::workload(), 0);
  store_.back_up(folder_ / "copy.db");
  store_.add_measurement(session, testing::measured(testing::configuration(6000), 300.0));
  store_.finish_session(session, 1700000002000);
  Store copy(folder_ / "copy.db");
  PruneRequest all;
  all.kernels = {"vector-add"};
  all.protected_rows = true;
  EXPECT_EQ(copy.prune(all).sessions, 1U);
  EXPECT_EQ(store_.merge(folder_ / "copy.db").removed, 13U);
  EXPECT_THAT(blocks(store_), UnorderedElementsAre("6000"));
  EXPECT_EQ(copy.merge(folder_ / "w.db").added, 1U);
  EXPECT_THAT(copy.damage(), IsEmpty());
}

// A live process whose session was silent for more than ten minutes.
TEST_F(PruningTest, ASessionThatIsRemovedUnderALiveProcessGetsNoFurtherRows) {
  const std::int64_t session = store_.begin_session(testing::session());
  store_.add_measurement(session,
                         testing::failed(testing::configuration(1), model::Status::kCompileFailed, "x"));
  Store other(folder_ / "w.db");
  PruneRequest request;
  request.failed = true;
  EXPECT_EQ(other.prune(request).sessions, 1U);
  const model::Measurement row = testing::measured(testing::configuration(2), 10.0);
  EXPECT_THROW(store_.add_measurement(session, row), base::MachineError);
  const std::int64_t next = other.begin_session(testing::session());
  ASSERT_EQ(next, session) << "the id is used again";
  EXPECT_THROW(store_.add_measurement(session, row), base::MachineError);
  EXPECT_EQ(other.totals().measurements, 0U);
  other.add_measurement(next, row);
  EXPECT_GT(store_.add_measurement(store_.begin_session(testing::session()), row), 0);
}

TEST_F(PruningTest, ARowThatFollowsDeletedOnesOfItsSessionIsNotTakenForOneOfThem) {
  const std::int64_t session = fill(store_, testing::workload(), 0);
  store_.back_up(folder_ / "copy.db");
  PruneRequest request;
  request.failed = true;
  EXPECT_EQ(Store(folder_ / "w.db").prune(request).rows, 2U);  // The ids 12 and 13.
  const std::int64_t id = store_.add_measurement(session, testing::measured(testing::configuration(4), 9.0));
  EXPECT_GT(id, 13);
  EXPECT_EQ(store_.merge(folder_ / "copy.db").removed, 0U);
  Store copy(folder_ / "copy.db");
  const MergeCounts counts = copy.merge(folder_ / "w.db");
  EXPECT_EQ(counts.removed, 2U);
  EXPECT_EQ(counts.added, 1U);
  EXPECT_EQ(copy.totals().measurements, 12U);
  EXPECT_THAT(copy.damage(), IsEmpty());
}

TEST_F(PruningTest, AKilledPruneRemovesNothingOrAll) {
  const std::int64_t session = store_.begin_session(testing::session());
  {
    Store::Batch batch(store_);
    for (int i = 0; i < 5000; ++i) {
      store_.add_measurement(session,
                             testing::failed(testing::configuration(i), model::Status::kCompileFailed, "x"));
    }
    batch.commit();
  }
  store_.finish_session(session, 1700000001000);
  PruneRequest request;
  request.failed = true;
  const std::filesystem::path path = folder_ / "w.db";
  std::vector<std::uint64_t> left;
  for (int kill = 0; kill < 6; ++kill) {
    testing::run_and_kill(std::chrono::milliseconds(1 + 20 * kill), [&] { Store(path).prune(request); });
    left.push_back(Store(path).totals().measurements);
    EXPECT_THAT(left.back(), ::testing::AnyOf(0U, 5000U));
  }
  EXPECT_EQ(left.front(), 5000U);
  EXPECT_THAT(Store(path).damage(), IsEmpty());
}

}  // namespace
}  // namespace warptune::db
