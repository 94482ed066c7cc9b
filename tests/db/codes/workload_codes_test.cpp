// What is known of the code of workloads (docs/database.md, "Rows of a changed text").
#include "db/codes/workload_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/storage/changed_file.h"
#include "tests/db/test_data.h"

namespace warptune::db::codes {
namespace {

using testing::configuration;
using ::testing::IsEmpty;
using testing::measured;
using ::testing::SizeIs;

model::WorkloadCode some_code() {
  return {"f0", 13000, "d0", {{configuration(8), "d1"}, {configuration(16, true, "a b\nc"), "d2"}}};
}

class WorkloadCodeTest : public storage::ChangedFileTest {
 protected:
  static model::Workload of_version(const std::string& hash) {
    model::Workload workload = testing::workload();
    workload.kernel_hash = hash;
    return workload;
  }
  static std::int64_t add_rows(Store& store, const model::Workload& workload, double time_ns = 10.0) {
    Session session = testing::session(workload);
    session.finished_ms = 5;
    const std::int64_t id = store.begin_session(session);
    store.add_measurement(id, measured(configuration(8), time_ns));
    store.add_measurement(id, measured(configuration(16), time_ns + 1.0));
    store.finish_session(id, 5);
    return id;
  }
};

TEST_F(WorkloadCodeTest, IsReadAsItWasStoredAndReplaced) {
  Store store(path_);
  WorkloadCodes codes(store);
  const model::Workload workload = testing::workload();
  EXPECT_FALSE(codes.find(workload).has_value());
  EXPECT_THROW(codes.set(workload, some_code()), base::InternalError);
  add_rows(store, workload);
  EXPECT_FALSE(codes.find(workload).has_value());
  codes.set(workload, some_code());
  EXPECT_EQ(codes.find(workload), some_code());
  model::WorkloadCode other = some_code();
  other.nvrtc_version = 13010;
  other.configurations.pop_back();
  codes.set(workload, other);
  EXPECT_EQ(codes.find(workload), other);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(WorkloadCodeTest, OtherVersionsAreThoseOfTheSameNameWithAnotherHash) {
  Store store(path_);
  WorkloadCodes codes(store);
  const model::Workload workload = of_version("one");
  add_rows(store, workload);
  EXPECT_FALSE(codes.knows_other_versions(workload.kernel, "two"));
  codes.set(workload, some_code());
  EXPECT_TRUE(codes.knows_other_versions(workload.kernel, "two"));
  EXPECT_FALSE(codes.knows_other_versions(workload.kernel, "one"));
  EXPECT_FALSE(codes.knows_other_versions("another name", "two"));
}

TEST_F(WorkloadCodeTest, RowsAndCodeAreCarriedOverToAnotherVersion) {
  Store store(path_);
  WorkloadCodes codes(store);
  const std::int64_t id = add_rows(store, of_version("one"));
  codes.set(of_version("one"), some_code());
  EXPECT_EQ(codes.carry_over(of_version("one"), "two").value().measurements, 2U);
  EXPECT_FALSE(codes.find(of_version("one")).has_value());
  EXPECT_EQ(codes.find(of_version("two")), some_code());
  EXPECT_THAT(store.winners(testing::workload().kernel, "one"), IsEmpty());
  ASSERT_THAT(store.winners(testing::workload().kernel, "two"), SizeIs(1));
  EXPECT_EQ(store.winners(testing::workload().kernel, "two")[0].best.time->median_ns, 10.0);
  EXPECT_EQ(store.session(id)->workload.kernel_hash, "two");
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_FALSE(codes.carry_over(of_version("one"), "two").has_value()) << "nothing is left of it";
}

TEST_F(WorkloadCodeTest, RowsAndCodeOfThePresentVersionStayBesideCarriedRows) {
  Store store(path_);
  WorkloadCodes codes(store);
  add_rows(store, of_version("two"), 20.0);
  add_rows(store, of_version("one"), 10.0);
  model::WorkloadCode present = some_code();
  present.form = "f1";
  codes.set(of_version("two"), present);
  codes.set(of_version("one"), some_code());
  EXPECT_EQ(codes.carry_over(of_version("one"), "two").value().measurements, 2U);
  EXPECT_EQ(codes.find(of_version("two")), present);
  EXPECT_EQ(store.totals().measurements, 4U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(WorkloadCodeTest, ConfigurationsThatNeverHadATimeAreNotCarriedOverAndDoNotComeBack) {
  const std::filesystem::path copy = folder_ / "copy.db";
  Store store(path_);
  const std::int64_t id = add_rows(store, of_version("one"));
  store.add_measurement(id, testing::failed(configuration(64), model::Status::kCompileFailed, "no"));
  store.add_measurement(id, measured(configuration(128), 5.0));  // The best, until it was found wrong.
  store.add_measurement(id, testing::failed(configuration(128), model::Status::kWrongResult, "differs"));
  store.add_measurement(id, testing::failed(configuration(16), model::Status::kTimedOut, "late"));
  store.add_measurement(id, measured(configuration(16), 12.0));
  store.back_up(copy);
  const std::optional<CarriedRows> carried = WorkloadCodes(store).carry_over(of_version("one"), "two");
  ASSERT_TRUE(carried.has_value());
  EXPECT_EQ(carried->removed, 1U);
  EXPECT_EQ(carried->measurements, 6U);
  EXPECT_THAT(store.measurements(of_version("two")), SizeIs(3));
  EXPECT_EQ(store.winners(testing::workload().kernel, "two").at(0).best.time->median_ns, 10.0);
  EXPECT_THAT(store.damage(), IsEmpty());
  store.merge(copy);
  EXPECT_THAT(store.winners(testing::workload().kernel, "one"), IsEmpty());
  EXPECT_EQ(store.totals().measurements, 6U);
  EXPECT_THAT(store.damage(), IsEmpty());
}

TEST_F(WorkloadCodeTest, NothingIsCarriedOverWhileASessionMayWrite) {
  Store store(path_);
  WorkloadCodes codes(store);
  add_rows(store, of_version("one"));
  codes.set(of_version("one"), some_code());
  Session running = testing::session(of_version("one"));
  running.finished_ms = 0;
  model::Measurement row = measured(configuration(32), 30.0);
  row.time_stamp_ms = 1LL << 50;  // A time in the future is a recent one.
  store.add_measurement(store.begin_session(running), row);
  EXPECT_FALSE(codes.carry_over(of_version("one"), "two").has_value());
  EXPECT_THAT(store.winners(testing::workload().kernel, "one"), SizeIs(1));
  EXPECT_EQ(codes.find(of_version("one")), some_code());
}

TEST_F(WorkloadCodeTest, ADamagedRowIsUnknownAndIsFound) {
  Store store(path_);
  WorkloadCodes codes(store);
  add_rows(store, of_version("one"));
  for (const char* change :
       {"form = 'f1'", "nvrtc_version = 12080", "reference = ''",
        "configurations = replace(configurations, 'd1', 'd3')",
        "configurations = replace(configurations, 'd1 ', 'd1')",
        "configurations = substr(configurations, 1, 20)", "configurations = ''", "checksum = checksum + 1"}) {
    codes.set(of_version("one"), some_code());
    run_sql(std::string("UPDATE workload_code SET ") + change);
    EXPECT_FALSE(codes.find(of_version("one")).has_value()) << change;
    EXPECT_THAT(store.damage(), SizeIs(1)) << change;
  }
}

TEST_F(WorkloadCodeTest, ItGoesWithItsWorkload) {
  Store store(path_);
  WorkloadCodes codes(store);
  add_rows(store, of_version("one"));
  codes.set(of_version("one"), some_code());
  run_sql(
      "PRAGMA foreign_keys = ON; DELETE FROM measurement; DELETE FROM configuration; DELETE FROM session;"
      "DELETE FROM workload");
  EXPECT_EQ(
      storage::Database(path_, storage::OpenMode::kReadOnly).integer("SELECT count(*) FROM workload_code"),
      0);
}

}  // namespace
}  // namespace warptune::db::codes
