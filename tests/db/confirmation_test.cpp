#include "db/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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
  row.replayed = true;
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
  erase_confirmation(counters);
  EXPECT_THAT(counters, ElementsAre(Pair("spill_bytes", 8.0)));
}

}  // namespace
}  // namespace warptune::db
