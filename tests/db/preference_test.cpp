#include "db/preference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/confirmation.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

class KeepPreference : public ::testing::Test {
 protected:
  // A row of a session of its own.
  StoredMeasurement measure(double median_ns, int nvrtc_version = 13000) {
    Session session = testing::session();
    session.environment.nvrtc_version = nvrtc_version;
    store_.add_measurement(store_.begin_session(session),
                           testing::measured(testing::configuration(64), median_ns));
    return latest();
  }
  StoredMeasurement latest() {
    return store_.latest_measurement(testing::workload(), testing::configuration(64)).value();
  }
  StoredMeasurement confirmed_and_preferred() {
    const StoredMeasurement row = measure(8.0);
    store_.add_counters(row.id, {{"verified_launches", 300.0}, {"detection_chance", 0.95}});
    store_.set_preferred(row.id);
    return latest();
  }

  testing::TemporaryFolder folder_;
  Store store_{folder_ / "rows.db"};
};

TEST_F(KeepPreference, OfAConfirmedRowKeepsItsVerificationRecord) {
  const StoredMeasurement earlier = confirmed_and_preferred();
  ASSERT_TRUE(earlier.preferred);
  keep_preference(store_, earlier, measure(8.01));
  EXPECT_TRUE(latest().preferred);
  EXPECT_EQ(db::confirming_launches(latest().measurement), 300.0);
  EXPECT_EQ(latest().measurement.counters.at("detection_chance"), 0.95);
  EXPECT_TRUE(db::is_confirmed(store_.winners("vector-add", "").at(0).best));
}

TEST_F(KeepPreference, OfARowOfAnotherCompilerIsNotKept) {
  const StoredMeasurement earlier = confirmed_and_preferred();
  keep_preference(store_, earlier, measure(8.01, 13010));
  EXPECT_FALSE(latest().preferred);
  EXPECT_FALSE(db::is_confirmed(latest().measurement));
}

TEST_F(KeepPreference, OfAnUnconfirmedRowStaysUnconfirmed) {
  store_.set_preferred(measure(8.0).id);
  const StoredMeasurement earlier = latest();
  keep_preference(store_, earlier, measure(8.01));
  EXPECT_TRUE(latest().preferred);
  EXPECT_FALSE(db::is_confirmed(latest().measurement));
}

TEST_F(KeepPreference, IsNotMadeForARowThatWasNotPreferredOrNotMeasured) {
  const StoredMeasurement plain = measure(8.0);
  keep_preference(store_, plain, measure(8.01));
  EXPECT_FALSE(latest().preferred);
  const StoredMeasurement earlier = confirmed_and_preferred();
  StoredMeasurement newer = measure(8.01);
  store_.reject(newer.id, {model::Status::kWrongResult, "wrong"});
  keep_preference(store_, earlier, latest());
  EXPECT_FALSE(latest().preferred);
  EXPECT_EQ(latest().measurement.counters.count("verified_launches"), 0U);
}

TEST_F(KeepPreference, WhatIsKnownOfTheOutputsIsKeptForTheSameCode) {
  const model::Counters known = {{"output_digest", 7.0}, {"compared_launches", 14.0}, {"error_max_ulp", 2.0}};
  store_.add_counters(measure(8.0).id, known);
  const StoredMeasurement earlier = latest();
  keep_preference(store_, earlier, measure(8.01));
  for (const auto& [name, value] : known) EXPECT_EQ(latest().measurement.counters.at(name), value);
  keep_preference(store_, latest(), measure(8.02, 13010));
  EXPECT_FALSE(latest().measurement.counters.contains("output_digest"));
}

TEST_F(KeepPreference, TheLargerOfTwoErrorsStays) {
  store_.add_counters(measure(8.0).id,
                      {{"error_max_ulp", 2.0}, {"error_max_relative", 0.5}, {"error_max_absolute", 1.0}});
  const StoredMeasurement earlier = latest();
  const StoredMeasurement newer = measure(8.01);
  store_.add_counters(newer.id, {{"error_max_ulp", 5.0}, {"error_max_relative", 0.25}});
  keep_preference(store_, earlier, newer);
  EXPECT_THAT(latest().measurement.counters,
              ::testing::IsSupersetOf({std::pair<const std::string, double>("error_max_ulp", 5.0),
                                       {"error_max_relative", 0.5},
                                       {"error_max_absolute", 1.0}}));
}

TEST_F(KeepPreference, OfARejectedRowIsNotKept) {
  const StoredMeasurement row = confirmed_and_preferred();
  store_.reject(row.id, {model::Status::kWrongResult, "wrong"});
  const StoredMeasurement earlier = latest();
  keep_preference(store_, earlier, measure(8.01));
  EXPECT_FALSE(latest().preferred);
  EXPECT_FALSE(db::is_confirmed(latest().measurement));
}

}  // namespace
}  // namespace warptune::db
