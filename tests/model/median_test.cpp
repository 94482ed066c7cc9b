#include "model/median.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "model/measurement.h"

namespace warptune::model {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Median, IsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median_of({1980.0}), 1980.0);
  EXPECT_EQ(median_of({1980.0, 1275.0, 1515.0}), 1515.0);
  EXPECT_EQ(median_of({1980.0, 1275.0, 1515.0, 1500.0}), 1507.5);
}

TEST(Median, LeavesOutWhatIsNoNumberAndIsNoneOfNothing) {
  EXPECT_EQ(median_of({}), std::nullopt);
  EXPECT_EQ(median_of({kNan, kNan}), std::nullopt);
  EXPECT_FALSE(median_interval({kNan, kNan}).has_value());
  EXPECT_EQ(median_of({kNan, 3.0, kNan, 1.0, 2.0}), 2.0);
}

TEST(Median, IsThatOfTheIntervalAndOfATimesSummary) {
  base::Random random(7);
  std::vector<double> values;
  for (int count = 1; count < 60; ++count) {
    values.push_back(1e3 * random.unit());
    const MedianInterval interval = median_interval(values).value();
    EXPECT_EQ(interval.median, median_of(values)) << count;
    EXPECT_LE(interval.low, interval.median) << count;
    EXPECT_GE(interval.high, interval.median) << count;
    const TimeSummary time = summarise(values).value();
    EXPECT_EQ(time.median_ns, interval.median) << count;
    EXPECT_EQ(time.low_ns, interval.low) << count;
    EXPECT_EQ(time.high_ns, interval.high) << count;
  }
}

}  // namespace
}  // namespace warptune::model
