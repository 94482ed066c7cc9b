#include "db/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

model::Measurement row_with(const model::Counters& counters) {
  model::Measurement row;
  row.status = model::Status::kMeasured;
  row.counters = counters;
  return row;
}

TEST(Confirmation, IsThatOfARowWithVerifiedLaunches) {
  EXPECT_TRUE(is_confirmed(row_with({{"verified_launches", 300.0}})));
  EXPECT_EQ(confirming_launches(row_with({{"verified_launches", 300.0}})), 300.0);
  EXPECT_FALSE(is_confirmed(row_with({})));
  EXPECT_FALSE(is_confirmed(row_with({{"verified_launches", 0.0}})));
  EXPECT_FALSE(is_confirmed(row_with({{"detection_chance", 0.95}})));
}

TEST(Confirmation, IsNotThatOfARowThatWasRejectedAfterSomeRightLaunches) {
  model::Measurement row = row_with({{"verified_launches", 12.0}});
  row.status = model::Status::kWrongResult;
  EXPECT_FALSE(is_confirmed(row));
  EXPECT_EQ(confirming_launches(row), std::nullopt);
}

TEST(Confirmation, NeedsANumberOfLaunches) {
  EXPECT_FALSE(is_confirmed(row_with({{"verified_launches", std::numeric_limits<double>::infinity()}})));
  EXPECT_FALSE(is_confirmed(row_with({{"verified_launches", std::numeric_limits<double>::quiet_NaN()}})));
}

TEST(Confirmation, OfAReplayedRowIsWhatItsRecordingSaysAndIsNotTrusted) {
  model::Measurement row = row_with({{"verified_launches", 300.0}});
  row.source = model::RowSource::kReplayed;
  EXPECT_EQ(confirming_launches(row), 300.0);
  EXPECT_FALSE(is_confirmed(row));
}

TEST(Confirmation, IsStoredInFourCounters) {
  model::Counters counters = {{"verified_launches", 300.0},
                              {"detection_chance", 0.95},
                              {"deviating_launches", 2.0},
                              {"deviation_of_tolerance", 0.5},
                              {"spill_bytes", 8.0}};
  EXPECT_THAT(confirmation_in(counters),
              ElementsAre(Pair("detection_chance", 0.95), Pair("deviating_launches", 2.0),
                          Pair("deviation_of_tolerance", 0.5), Pair("verified_launches", 300.0)));
  counters.merge(rejection_mark());
  EXPECT_EQ(confirmation_in(counters).size(), 4U) << "a rejection is no part of it";
  erase_confirmation(counters);
  EXPECT_THAT(counters, ElementsAre(Pair("spill_bytes", 8.0)));
}

TEST(Confirmation, BitsOfOutputsOfWhichOneIsNoIntegerAreNotTaken) {
  const model::Counters known = {{"compared_launches", 14.0},
                                 {"differing_launches", 0.0},
                                 {"input_digest", 9007199254740991.0},
                                 {"output_digest", 7.0}};
  EXPECT_EQ(output_bits_in(known), known);
  for (const double value : {std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), -1.0, 0.5, 1e300}) {
    model::Counters wrong = known;
    wrong["differing_launches"] = value;
    EXPECT_THAT(output_bits_in(wrong), ::testing::IsEmpty()) << value;
  }
}

class StandingRejection : public ::testing::Test {
 protected:
  std::int64_t begin_session(int nvrtc_version = 13000) {
    Session session = testing::session();
    session.environment.nvrtc_version = nvrtc_version;
    return store_.begin_session(session);
  }
  // A row that a session's end rejected, if `by_end`, or else its evaluation.
  StoredMeasurement rejected(bool by_end) {
    const std::int64_t id =
        store_.add_measurement(begin_session(), testing::measured(testing::configuration(64), 8.0));
    if (by_end) store_.add_counters(id, rejection_mark());
    store_.reject(id, {model::Status::kWrongResult, "wrong in the finals"});
    return store_.latest_measurement(testing::workload(), testing::configuration(64)).value();
  }

  testing::TemporaryFolder folder_;
  Store store_{folder_ / "rows.db"};
};

TEST_F(StandingRejection, IsTheEarlierOneForTheSameCode) {
  const StoredMeasurement earlier = rejected(true);
  EXPECT_TRUE(is_rejected_in_finals(earlier.measurement));
  const auto standing = standing_rejection(store_, earlier, begin_session());
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->status, model::Status::kWrongResult);
  EXPECT_EQ(standing->reason, "wrong in the finals");
}

TEST_F(StandingRejection, DoesNotHoldForTheCodeOfAnotherCompiler) {
  EXPECT_FALSE(standing_rejection(store_, rejected(true), begin_session(13010)));
}

TEST_F(StandingRejection, IsNotMadeFromAFailedEvaluationNorFromARecording) {
  EXPECT_FALSE(standing_rejection(store_, rejected(false), begin_session()));
  StoredMeasurement replayed = rejected(true);
  replayed.measurement.source = model::RowSource::kReplayed;
  EXPECT_FALSE(standing_rejection(store_, replayed, begin_session()));
}

}  // namespace
}  // namespace warptune::db
