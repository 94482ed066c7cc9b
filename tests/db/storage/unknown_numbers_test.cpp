// Optional numbers in databases: 0 is written for an unknown one, as earlier versions did.
#include <gmock/gmock.h>

#include <filesystem>
#include <optional>

#include "db/storage/checksums.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::storage {
namespace {

using ::testing::IsEmpty;

// The checksums were computed by the version before the optional members, whose unknown numbers were 0.
TEST(UnknownNumbers, LeaveNoTraceInChecksums) {
  const std::uint64_t workload = workload_checksum_of("k", "hash", "{}", "key", "cold");
  model::Measurement row;
  row.configuration = {{"A", std::int64_t{1}}};
  row.status = model::Status::kMeasured;
  row.time = {5.0, 4.0, 6.0};
  row.resources.registers_per_thread = 32;
  EXPECT_EQ(checksum_of(workload, 5, row), 984814415508396389);
  row.resources.blocks_per_sm = 8;
  row.resources.theoretical_occupancy = 0.5;
  EXPECT_EQ(checksum_of(workload, 5, row), 1318454117485731904);
  Session session;
  session.strategy = "random";
  EXPECT_EQ(checksum_of(workload, "gpu", session), 5478444039639154083);
  session.roofs = {4e12, 6e13};
  session.work.written_share = 0.5;
  session.environment.driver_version = 13000;
  EXPECT_EQ(checksum_of(workload, "gpu", session), -4213640975875152427);
  model::RoofReading reading = {"copy", 4e12, 0.01, {}, 7, {}};
  EXPECT_EQ(checksum_of("key", reading), 1997938930972853500);
  reading.sm_clock_mhz = 1980.0;
  reading.driver_version = 13000;
  EXPECT_EQ(checksum_of("key", reading), -6637702277788051820);
}

TEST(UnknownNumbers, AreStoredAsZeroAndReadAsUnknown) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder / "w.db";
  Store store(path);
  const std::int64_t session = store.begin_session(testing::session());
  store.set_session_roofs(session, {4e12});
  model::Measurement row = testing::measured(testing::configuration(512), 1000.0);
  row.resources.blocks_per_sm.reset();
  row.resources.theoretical_occupancy.reset();
  store.add_measurement(session, row);
  store.set_roofs(testing::gpu(), {{"copy", 4e12, 0.01, {}, 7, {}}});
  EXPECT_THAT(store.damage(), IsEmpty());
  EXPECT_EQ(store.session(session)->roofs, model::Roofs{4e12});
  EXPECT_EQ(store.roofs(testing::gpu()).at(0).sm_clock_mhz, std::nullopt);
  EXPECT_EQ(store.roofs(testing::gpu()).at(0).driver_version, std::nullopt);
  Database database(path, OpenMode::kReadOnly);
  EXPECT_EQ(database.integer("SELECT count(*) FROM session WHERE roof_read_bytes_per_s = 0.0"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM measurement WHERE blocks_per_sm = 0 AND"
                             " theoretical_occupancy = 0.0"),
            1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM roof WHERE sm_clock_mhz = 0.0 AND driver_version = 0"), 1);
}

TEST(UnknownNumbers, ZerosOfCodeThatWasNotPatchedAreReadAsUnknown) {
  const testing::TemporaryFolder folder;
  Store store(folder / "w.db");
  model::Measurement row = testing::measured(testing::configuration(512), 1000.0);
  row.counters = {{"smsp__inst_executed.sum", 1e5},
                  {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", 0.0}};
  const std::int64_t id = store.add_measurement(store.begin_session(testing::session()), row);
  EXPECT_EQ(store.counters(id), model::Counters({{"smsp__inst_executed.sum", 1e5}}));
  EXPECT_THAT(store.damage(), IsEmpty());
}

}  // namespace
}  // namespace warptune::db::storage
