#include "db/store.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using testing::configuration;
using ::testing::ElementsAre;
using testing::failed;
using ::testing::IsEmpty;
using testing::measured;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

void expect_equal(const model::Measurement& a, const model::Measurement& b) {
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.samples_ns, b.samples_ns);
  EXPECT_EQ(a.counters, b.counters);
  EXPECT_EQ(a.resources.registers_per_thread, b.resources.registers_per_thread);
  EXPECT_EQ(a.resources.static_shared_bytes, b.resources.static_shared_bytes);
  EXPECT_EQ(a.resources.dynamic_shared_bytes, b.resources.dynamic_shared_bytes);
  EXPECT_EQ(a.resources.local_bytes, b.resources.local_bytes);
  EXPECT_EQ(a.resources.threads_per_block, b.resources.threads_per_block);
  EXPECT_EQ(a.resources.blocks, b.resources.blocks);
  EXPECT_EQ(a.resources.blocks_per_sm, b.resources.blocks_per_sm);
  EXPECT_EQ(a.resources.theoretical_occupancy, b.resources.theoretical_occupancy);
  EXPECT_EQ(a.compile_ms, b.compile_ms);
  EXPECT_EQ(a.measure_ms, b.measure_ms);
  EXPECT_EQ(a.time_stamp_ms, b.time_stamp_ms);
}

class StoreTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  Store store_{folder_ / "w.db"};
};

TEST_F(StoreTest, AMeasurementComesBackAsItWasStored) {
  const std::int64_t id = store_.begin_session(testing::session());
  const model::Measurement stored =
      testing::measured(testing::configuration(128, true, "ldcs, \"x\"\n"), 1234.5);
  const std::int64_t measurement = store_.add_measurement(id, stored);
  const auto found = store_.measurements(testing::workload());
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].id, measurement);
  EXPECT_EQ(found[0].session_id, id);
  expect_equal(found[0].measurement, stored);
}

TEST_F(StoreTest, AFailedMeasurementKeepsItsStatusAndReasonAndHasNoTime) {
  const std::int64_t id = store_.begin_session(testing::session());
  for (const model::Status status : model::all_statuses()) {
    const auto block = static_cast<std::int64_t>(status) + 1;
    store_.add_measurement(id, testing::failed(testing::configuration(block), status,
                                               "because of " + std::string(model::to_string(status))));
  }
  const auto found = store_.session_measurements(id);
  ASSERT_THAT(found, SizeIs(model::all_statuses().size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].measurement.status, model::all_statuses()[i]);
    EXPECT_EQ(found[i].measurement.reason,
              "because of " + std::string(model::to_string(model::all_statuses()[i])));
    EXPECT_EQ(found[i].measurement.time, std::nullopt);
    EXPECT_THAT(found[i].measurement.samples_ns, IsEmpty());
  }
}

TEST_F(StoreTest, ValuesKeepTheirTypesAndExtremes) {
  const model::NamedValues values = {{"i", std::numeric_limits<std::int64_t>::min()},
                                     {"j", std::numeric_limits<std::int64_t>::max()},
                                     {"r", 1.0},
                                     {"s", 0.1},
                                     {"t", std::numeric_limits<double>::infinity()},
                                     {"b", true},
                                     {"c", std::string("true")},
                                     {"d", std::string("1")},
                                     {"e", std::string()}};
  const std::int64_t id = store_.begin_session(testing::session(testing::workload(values)));
  store_.add_measurement(id, testing::measured(values, 5.0));
  EXPECT_EQ(store_.session(id)->workload.problem, values);
  EXPECT_EQ(store_.session_measurements(id)[0].measurement.configuration, values);
  EXPECT_THAT(store_.measurements(testing::workload(values)), SizeIs(1));
}

TEST_F(StoreTest, ASessionComesBackAsItWasStored) {
  Session stored = testing::session();
  stored.workload.cache = model::CacheState::kWarm;
  stored.objective = "energy * time";
  stored.environment.driver_release = "580.65.06";
  stored.id = store_.begin_session(stored);
  store_.finish_session(stored.id, 1700000009999);
  const std::optional<Session> found = store_.session(stored.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, stored.id);
  EXPECT_EQ(found->workload.kernel, stored.workload.kernel);
  EXPECT_EQ(found->workload.kernel_hash, stored.workload.kernel_hash);
  EXPECT_EQ(found->workload.problem, stored.workload.problem);
  EXPECT_EQ(found->workload.gpu, stored.workload.gpu);
  EXPECT_EQ(found->environment.warptune_version, "0.1.0");
  EXPECT_EQ(found->environment.driver_version, 13000);
  EXPECT_EQ(found->environment.nvrtc_version, 13000);
  EXPECT_EQ(found->environment.sm_clock_mhz, 1980);
  EXPECT_EQ(found->environment.memory_clock_mhz, 3201);
  EXPECT_EQ(found->environment.throttle_reasons, "0x4");
  EXPECT_EQ(found->environment.driver_release, "580.65.06");
  EXPECT_EQ(found->roofs, stored.roofs);
  EXPECT_EQ(found->work.unit, stored.work.unit);
  EXPECT_EQ(found->work.flops, 4096.0);
  EXPECT_EQ(found->work.bytes, 49152.0);
  EXPECT_EQ(found->strategy, "auto");
  EXPECT_EQ(found->seed, stored.seed);
  EXPECT_EQ(found->budget, "60s");
  EXPECT_EQ(found->objective, "energy * time");
  EXPECT_EQ(found->workload.cache, model::CacheState::kWarm);
  EXPECT_EQ(found->source, model::RowSource::kMeasured);
  EXPECT_EQ(found->started_ms, stored.started_ms);
  EXPECT_EQ(found->finished_ms, 1700000009999);
  EXPECT_EQ(found->space_size, stored.space_size);
  EXPECT_EQ(found->default_configuration, stored.default_configuration);
  EXPECT_FALSE(store_.session(stored.id + 1));
}

TEST_F(StoreTest, AWorkloadIsContinuedWhateverTheOrderOfItsProblemButNotWithAnotherHashSizeTypeOrGpu) {
  const std::int64_t id = store_.begin_session(testing::session());
  store_.add_measurement(id, testing::measured(testing::configuration(128), 10.0));
  const std::int64_t n = 4096;
  const std::string f32 = "f32";
  EXPECT_THAT(store_.measurements(testing::workload({{"dtype", f32}, {"N", n}})), SizeIs(1));
  EXPECT_THAT(store_.measurements(testing::workload({{"dtype", f32}, {"N", n + 1}})), IsEmpty());
  EXPECT_THAT(store_.measurements(testing::workload({{"dtype", f32}, {"N", 4096.0}})), IsEmpty());
  EXPECT_THAT(store_.measurements(testing::workload({{"dtype", f32}})), IsEmpty());
  model::Workload other = testing::workload();
  other.kernel_hash.back() = 'e';
  EXPECT_THAT(store_.measurements(other), IsEmpty());
  other = testing::workload();
  other.gpu.sm_count = 114;
  EXPECT_THAT(store_.measurements(other), IsEmpty());
  other = testing::workload();
  other.gpu.name = "the same GPU by another name";
  EXPECT_THAT(store_.measurements(other), SizeIs(1));
}

TEST_F(StoreTest, OnlyTheNewestMeasurementOfAConfigurationCountsAndTheOlderStays) {
  const std::int64_t first = store_.begin_session(testing::session());
  store_.add_measurement(first, testing::measured(testing::configuration(128), 10.0));
  const std::int64_t second = store_.begin_session(testing::session());
  store_.add_measurement(
      second, testing::failed(testing::configuration(128), model::Status::kWrongResult, "differs"));
  const auto found = store_.measurements(testing::workload());
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].measurement.status, model::Status::kWrongResult);
  EXPECT_THAT(store_.session_measurements(first), SizeIs(1));
  EXPECT_THAT(store_.winners("vector-add", ""), IsEmpty());
  EXPECT_EQ(store_.totals().measurements, 2U);
}

TEST_F(StoreTest, CountersAndTimesAreReplaced) {
  const std::int64_t id = store_.begin_session(testing::session());
  const std::int64_t measurement =
      store_.add_measurement(id, testing::measured(testing::configuration(128), 10.0));
  store_.set_counters(measurement, {{"a", 1.5}, {"b", 2.0}});
  store_.set_time(measurement, {9.0, 8.0, 9.5}, {9.0, 8.0, 9.5, 9.25});
  const model::Measurement found = store_.session_measurements(id).at(0).measurement;
  EXPECT_EQ(found.counters, (model::Counters{{"a", 1.5}, {"b", 2.0}}));
  EXPECT_EQ(found.time->median_ns, 9.0);
  EXPECT_EQ(found.time->low_ns, 8.0);
  EXPECT_EQ(found.time->high_ns, 9.5);
  EXPECT_THAT(found.samples_ns, ElementsAre(9.0, 8.0, 9.5, 9.25));
}

TEST_F(StoreTest, RowsWithOneOfTheCountersAreFoundAmongTheNewestOfEachConfiguration) {
  const std::int64_t id = store_.begin_session(testing::session());
  const auto add = [&](std::int64_t block, const model::Counters& counters) {
    const std::int64_t row =
        store_.add_measurement(id, testing::measured(testing::configuration(block), 9.0));
    store_.set_counters(row, counters);
    return row;
  };
  const std::int64_t older = add(64, {{"a", 1.0}});
  add(64, {});
  const std::int64_t with_a = add(128, {{"a", 1.0}});
  const std::int64_t with_b = add(256, {{"b", 0.0}, {"c", 1.0}});
  EXPECT_THAT(store_.ids_with_counters(testing::workload(), {"a", "b", "unknown"}),
              UnorderedElementsAre(with_a, with_b));
  EXPECT_THAT(store_.ids_with_counters(testing::workload(), {}), IsEmpty());
  std::vector<std::int64_t> all;
  for (const StoredMeasurement& row : store_.rows_with_counters(testing::workload(), {"a", "b", "unknown"}))
    all.push_back(row.id);
  EXPECT_THAT(all, ElementsAre(older, with_a, with_b));
  EXPECT_THAT(store_.rows_with_counters(testing::workload(), {}), IsEmpty());
}

TEST_F(StoreTest, TheWinnerIsTheFastestMeasuredOneWithTheDefaultBesideIt) {
  const std::int64_t id = store_.begin_session(testing::session());
  store_.add_measurement(id, testing::measured(testing::configuration(256), 20.0));
  store_.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  store_.add_measurement(id, testing::measured(testing::configuration(128), 10.0));
  model::Measurement dropped = testing::measured(testing::configuration(512), 1.0);
  dropped.status = model::Status::kDropped;
  store_.add_measurement(id, dropped);
  const std::vector<Winner> winners = store_.winners("vector-add", testing::workload().kernel_hash);
  ASSERT_THAT(winners, SizeIs(1));
  expect_equal(winners[0].best, testing::measured(testing::configuration(64), 8.0));
  ASSERT_TRUE(winners[0].default_measurement);
  expect_equal(*winners[0].default_measurement, testing::measured(testing::configuration(256), 20.0));
  EXPECT_EQ(winners[0].measured, 3U);
  EXPECT_EQ(winners[0].evaluated, 4U);
  EXPECT_EQ(winners[0].session_id, id);
  EXPECT_EQ(winners[0].work.flops, 4096.0);
  EXPECT_EQ(winners[0].environment.driver_version, 13000);
  EXPECT_THAT(store_.winners("vector-add", "another hash"), IsEmpty());
  EXPECT_THAT(store_.winners("another kernel", ""), IsEmpty());
}

TEST_F(StoreTest, WhatIsRejectedLaterIsNoWinnerAndKeepsItsTimeAndCounters) {
  const std::int64_t id = store_.begin_session(testing::session());
  const std::int64_t wrong = store_.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  store_.add_measurement(id, testing::measured(testing::configuration(128), 9.0));
  store_.set_counters(wrong, {{"a", 1.0}, {"b", 2.0}});
  store_.set_preferred(wrong);
  store_.add_counters(wrong, {{"b", 3.0}, {"verified_launches", 12.0}});
  store_.reject(wrong, {model::Status::kImplausible, "remembers"});
  const auto rows = store_.session_measurements(id);
  EXPECT_EQ(rows[0].measurement.status, model::Status::kImplausible);
  EXPECT_EQ(rows[0].measurement.reason, "remembers");
  EXPECT_EQ(rows[0].measurement.time->median_ns, 8.0);
  EXPECT_THAT(rows[0].measurement.counters,
              ElementsAre(Pair("a", 1.0), Pair("b", 3.0), Pair("verified_launches", 12.0)));
  EXPECT_FALSE(rows[0].preferred);
  ASSERT_THAT(store_.winners("vector-add", ""), SizeIs(1));
  EXPECT_EQ(store_.winners("vector-add", "")[0].best.time->median_ns, 9.0);
  EXPECT_THROW(store_.reject(99, {model::Status::kWrongResult, ""}), base::InternalError);
}

TEST_F(StoreTest, ADroppedMeasurementCountsOnceItsTimeIsSetAndAFailedOneNever) {
  const std::int64_t id = store_.begin_session(testing::session());
  model::Measurement dropped = testing::measured(testing::configuration(64), 8.0);
  dropped.status = model::Status::kDropped;
  dropped.reason = "hopeless";
  const std::int64_t row = store_.add_measurement(id, dropped);
  const std::int64_t wrong = store_.add_measurement(
      id, testing::failed(testing::configuration(128), model::Status::kWrongResult, "differs"));
  EXPECT_EQ(store_.session_measurements(id)[0].measurement.status, model::Status::kDropped);
  EXPECT_THAT(store_.winners("vector-add", ""), IsEmpty());
  store_.set_time(row, {9.0, 8.0, 9.5}, {9.0, 8.0, 9.5});
  store_.set_time(wrong, {1.0, 1.0, 1.0}, {1.0});
  const auto rows = store_.session_measurements(id);
  EXPECT_EQ(rows[0].measurement.status, model::Status::kMeasured);
  EXPECT_EQ(rows[0].measurement.reason, "");
  EXPECT_EQ(rows[1].measurement.status, model::Status::kWrongResult);
  EXPECT_EQ(rows[1].measurement.reason, "differs");
  ASSERT_THAT(store_.winners("vector-add", ""), SizeIs(1));
  EXPECT_EQ(store_.winners("vector-add", "")[0].best.time->median_ns, 9.0);
}

TEST_F(StoreTest, AColdAndAWarmCacheAreTwoWorkloads) {
  model::Workload warm = testing::workload();
  warm.cache = model::CacheState::kWarm;
  store_.add_measurement(store_.begin_session(testing::session()),
                         testing::measured(testing::configuration(64), 8.0));
  store_.add_measurement(store_.begin_session(testing::session(warm)),
                         testing::measured(testing::configuration(128), 4.0));
  ASSERT_THAT(store_.measurements(warm), SizeIs(1));
  EXPECT_EQ(store_.measurements(warm)[0].measurement.configuration, testing::configuration(128));
  ASSERT_THAT(store_.measurements(testing::workload()), SizeIs(1));
  EXPECT_EQ(store_.measurements(testing::workload())[0].measurement.configuration,
            testing::configuration(64));
  const std::vector<Winner> winners = store_.winners("vector-add", "");
  ASSERT_THAT(winners, SizeIs(2));
  EXPECT_EQ(winners[0].workload.cache, model::CacheState::kCold);
  EXPECT_EQ(winners[1].workload.cache, model::CacheState::kWarm);
}

TEST_F(StoreTest, ThePreferredRowWinsWhileItIsAtMostOnePerCentSlower) {
  const std::int64_t id = store_.begin_session(testing::session());
  const std::int64_t fast = store_.add_measurement(id, testing::measured(testing::configuration(64), 1000.0));
  const std::int64_t simple =
      store_.add_measurement(id, testing::measured(testing::configuration(128), 1009.0));
  const auto best_ns = [&] { return store_.winners("vector-add", "").at(0).best.time->median_ns; };
  EXPECT_EQ(best_ns(), 1000.0);
  store_.set_preferred(simple);
  EXPECT_EQ(best_ns(), 1009.0);
  EXPECT_TRUE(store_.session_measurements(id)[1].preferred);
  store_.set_time(fast, {990.0, 980.0, 995.0}, {990.0});
  EXPECT_EQ(best_ns(), 990.0);
  store_.set_time(fast, {1000.0, 980.0, 1005.0}, {1000.0});
  store_.set_preferred(fast);
  EXPECT_EQ(best_ns(), 1000.0);
  EXPECT_FALSE(store_.session_measurements(id)[1].preferred);
}

TEST_F(StoreTest, APreferenceOfOneWorkloadLeavesThoseOfOthers) {
  model::Workload warm = testing::workload();
  warm.cache = model::CacheState::kWarm;
  const std::int64_t cold_id = store_.begin_session(testing::session());
  const std::int64_t cold_row =
      store_.add_measurement(cold_id, testing::measured(testing::configuration(64), 8.0));
  const std::int64_t warm_id = store_.begin_session(testing::session(warm));
  const std::int64_t warm_row =
      store_.add_measurement(warm_id, testing::measured(testing::configuration(64), 4.0));
  store_.set_preferred(cold_row);
  store_.set_preferred(warm_row);
  EXPECT_TRUE(store_.session_measurements(cold_id)[0].preferred);
  EXPECT_TRUE(store_.session_measurements(warm_id)[0].preferred);
}

TEST_F(StoreTest, TheDefaultOfAWinnerIsMissingWhenItWasNotMeasured) {
  const std::int64_t id = store_.begin_session(testing::session());
  store_.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  store_.add_measurement(id,
                         testing::failed(testing::configuration(256), model::Status::kCompileFailed, "no"));
  const std::vector<Winner> winners = store_.winners("vector-add", "");
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_FALSE(winners[0].default_measurement);
}

TEST_F(StoreTest, TheDefaultOfTheWinnersOwnSessionComesFirst) {
  const std::int64_t first = store_.begin_session(testing::session());
  store_.add_measurement(first, testing::measured(testing::configuration(256), 20.0));
  store_.add_measurement(first, testing::measured(testing::configuration(64), 8.0));
  const std::int64_t second = store_.begin_session(testing::session());
  store_.add_measurement(second, testing::measured(testing::configuration(256), 30.0));
  const std::vector<Winner> winners = store_.winners("vector-add", "");
  ASSERT_THAT(winners, SizeIs(1));
  EXPECT_EQ(winners[0].default_measurement->time->median_ns, 20.0);
}

TEST_F(StoreTest, EachProblemAndGpuHasItsWinnerAndReplayedSessionsCount) {
  const auto add = [&](const model::Workload& workload, double median_ns) {
    Session session = testing::session(workload);
    session.source = model::RowSource::kReplayed;
    const std::int64_t id = store_.begin_session(session);
    store_.add_measurement(id, testing::measured(testing::configuration(64), median_ns));
  };
  add(testing::workload(), 8.0);
  add(testing::workload({{"N", std::int64_t{8192}}, {"dtype", std::string("f32")}}), 16.0);
  add(testing::workload(testing::workload().problem, testing::gpu(8, 0, 108, "NVIDIA A100")), 12.0);
  EXPECT_THAT(store_.winners("vector-add", ""), SizeIs(3));
  EXPECT_EQ(store_.sessions().at(0).source, model::RowSource::kReplayed);
  const Totals totals = store_.totals();
  EXPECT_EQ(totals.kernels, 1U);
  EXPECT_EQ(totals.gpus, 2U);
  EXPECT_EQ(totals.workloads, 3U);
  EXPECT_EQ(totals.sessions, 3U);
  EXPECT_EQ(totals.measurements, 3U);
  EXPECT_EQ(totals.schema_version, 14);
}

TEST_F(StoreTest, ABatchIsCommittedTogetherOrNotAtAll) {
  const std::int64_t id = store_.begin_session(testing::session());
  const Store reader = Store::open_existing(folder_ / "w.db");
  {
    Store::Batch batch(store_);
    const std::int64_t row = store_.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
    store_.set_counters(row, {{"new", 1.0}});
    store_.add_measurement(id, testing::measured(testing::configuration(128), 9.0));
    EXPECT_EQ(reader.totals().measurements, 0U);
    batch.commit();
  }
  EXPECT_EQ(reader.totals().measurements, 2U);
  EXPECT_EQ(reader.counters(1), (model::Counters{{"new", 1.0}}));
  {
    const Store::Batch batch(store_);
    const std::int64_t row = store_.add_measurement(id, testing::measured(testing::configuration(256), 8.0));
    store_.set_counters(row, {{"taken back", 1.0}});
  }
  EXPECT_EQ(reader.totals().measurements, 2U);
  store_.set_counters(1, {{"newer", 2.0}, {"taken back", 3.0}});
  EXPECT_EQ(reader.counters(1), (model::Counters{{"newer", 2.0}, {"taken back", 3.0}}));
  EXPECT_THAT(reader.uncounted_measurements(testing::workload()).at(0).measurement.counters, IsEmpty());
  store_.add_measurement(id, testing::measured(testing::configuration(256), 8.0));
  EXPECT_EQ(reader.totals().measurements, 3U);
}

TEST_F(StoreTest, AMovedStoreGoesOn) {
  const std::int64_t id = store_.begin_session(testing::session());
  store_.add_measurement(id, testing::measured(testing::configuration(64), 8.0));
  Store moved = std::move(store_);
  moved.add_measurement(id, testing::measured(testing::configuration(128), 9.0));
  EXPECT_THROW(moved.add_measurement(99, testing::measured(testing::configuration(128), 9.0)),
               base::InternalError);
  EXPECT_EQ(moved.totals().measurements, 2U);
  store_ = std::move(moved);
}

TEST_F(StoreTest, AnObjectiveHasItsOwnWinners) {
  const std::int64_t id = store_.begin_session(testing::session());
  const auto add = [&](std::int64_t block, double ns, double energy_j, model::Status status) {
    model::Measurement row = testing::measured(testing::configuration(block), ns);
    row.counters["energy_j"] = energy_j;
    row.status = status;
    store_.add_measurement(id, row);
  };
  add(64, 8.0, 3.0, model::Status::kMeasured);
  add(128, 9.0, 2.0, model::Status::kMeasured);
  add(512, 20.0, 1.0, model::Status::kDropped);
  const auto block_by = [&](const char* objective) {
    const auto winners = store_.winners("vector-add", "", model::Objective::parse(objective));
    return winners.empty() ? 0 : std::get<std::int64_t>(winners[0].best.configuration[0].second);
  };
  EXPECT_EQ(block_by("time"), 64);
  EXPECT_EQ(block_by("energy"), 128);
  EXPECT_EQ(block_by("power"), 0);
}

TEST_F(StoreTest, UnknownSessionsAndMeasurementsAreRefused) {
  EXPECT_THROW(store_.add_measurement(7, testing::measured(testing::configuration(64), 8.0)),
               base::InternalError);
  EXPECT_THROW(store_.finish_session(7, 1), base::InternalError);
  EXPECT_THROW(store_.set_counters(7, {}), base::InternalError);
  EXPECT_THROW(store_.set_time(7, {}, {}), base::InternalError);
  EXPECT_THROW(store_.set_preferred(7), base::InternalError);
  EXPECT_EQ(store_.totals().measurements, 0U);
}

TEST_F(StoreTest, TheNewestSearchOfAWorkloadStrategySeedAndObjectiveIsKept) {
  const Session plain = testing::session();
  const auto saved = [&](const Session& like) {
    const std::optional<SearchState> state =
        store_.search_state(like.workload, like.strategy, like.seed, like.objective);
    return state ? std::to_string(state->session_id) + state->text : "none";
  };
  EXPECT_EQ(saved(plain), "none");
  const std::int64_t first = store_.begin_session(plain);
  EXPECT_EQ(saved(plain), "none");
  store_.set_search_state(first, "a");
  store_.set_search_state(first, "b");
  EXPECT_EQ(saved(plain), std::to_string(first) + "b");
  std::vector<Session> others(4, plain);
  others[0].strategy += "x";
  others[1].seed += 1;
  others[2].objective = "registers";
  others[3].workload.cache = model::CacheState::kWarm;
  for (const Session& other : others) {
    EXPECT_EQ(saved(other), "none");
    store_.set_search_state(store_.begin_session(other), "c");
  }
  EXPECT_EQ(saved(plain), std::to_string(first) + "b");
  const std::int64_t second = store_.begin_session(plain);
  store_.set_search_state(second, "d");
  EXPECT_EQ(saved(plain), std::to_string(second) + "d");
  store_.set_search_state(second, "");
  EXPECT_EQ(saved(plain), "none");
  EXPECT_THROW(store_.set_search_state(999, "e"), base::InternalError);
}

TEST_F(StoreTest, RoofsOfAGpuAreThoseMeasuredLast) {
  model::GpuDescription other = model::fictional_gpu();
  other.sm_count = 78;
  EXPECT_THAT(store_.roofs(other), IsEmpty());
  store_.set_roofs(model::fictional_gpu(), {{"copy", 4.2e12, 0.002, 1980.0, 1700000000000, 13000},
                                            {"tensor", 7e14, 0.01, 1500.0, 1700000000001, 13000}});
  store_.set_roofs(other, {{"copy", 1e12, 0.0, 0.0, 0, 0}});
  store_.set_roofs(model::fictional_gpu(), {{"read", 4.3e12, 0.003, 1975.0, 1700000009999, 13010},
                                            {"copy", 4.1e12, 0.004, 1970.0, 1700000009998, 13010}});
  const std::vector<model::RoofReading> found = store_.roofs(model::fictional_gpu());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "copy");
  EXPECT_EQ(found[0].value, 4.1e12);
  EXPECT_EQ(found[1].name, "read");
  EXPECT_EQ(found[1].value, 4.3e12);
  EXPECT_EQ(found[1].relative_spread, 0.003);
  EXPECT_EQ(found[1].sm_clock_mhz, 1975.0);
  EXPECT_EQ(found[1].time_stamp_ms, 1700000009999);
  EXPECT_EQ(found[1].driver_version, 13010);
  EXPECT_THAT(store_.roofs(other), SizeIs(1));
}

}  // namespace
}  // namespace warptune::db
