#include "tuner/session/finals/finals.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/tuner/session_data.h"
#include "tuner/session/finals/ties.h"

namespace warptune::tuner::session::finals {
namespace {

// Rounds with a common drift of the clock, as on a real GPU: 3 % from the first to the last.
std::vector<double> drifting(double median_ns, double noise_ns) {
  std::vector<double> samples;
  for (int i = 0; i < 15; ++i)
    samples.push_back(median_ns * (1.0 + 0.002 * i) + noise_ns * static_cast<double>((i * 7) % 5 - 2));
  return samples;
}

TEST(FinalsTest, ADifferenceThatShowsInEveryRoundIsNoTieThoughTheIntervalsOverlap) {
  const std::vector<double> fast = drifting(1000.0, 0.0);
  const std::vector<double> slower = drifting(1003.0, 0.3);
  EXPECT_LE(model::summarise(slower).value().low_ns.value(), model::summarise(fast).value().high_ns.value());
  EXPECT_FALSE(are_tied(slower, fast));
  EXPECT_FALSE(are_tied(fast, slower));
}

TEST(FinalsTest, ADifferenceBelowTheNoiseOfTheRoundsIsATie) {
  EXPECT_TRUE(are_tied(drifting(1000.5, 5.0), drifting(1000.0, 0.0)));
  EXPECT_TRUE(are_tied(drifting(1000.0, 0.0), drifting(1000.0, 0.0)));
}

TEST(FinalsTest, ListsThatAreNoPairsTieWhereTheirIntervalsOverlap) {
  EXPECT_TRUE(are_tied({990.0, 1000.0, 1010.0}, {1005.0, 1020.0}));
  EXPECT_FALSE(are_tied({990.0, 1000.0, 1010.0}, {1015.0, 1020.0}));
}

TEST(FinalsTest, ARoundWithoutASampleOfBothCountsForNeither) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(are_tied({10.0, nan, 12.0, 11.0}, {9.0, 50.0, 10.0, 10.0}));
}

TEST(FinalsTest, SimplerIsNearerToTheDefaultThenSmallerThenFaster) {
  const model::NamedValues usual = {{"A", std::int64_t{1}}, {"B", false}};
  const auto row = [](std::int64_t a, bool b, std::int64_t registers, std::int64_t shared, double ns) {
    model::Measurement measurement = testing::measured({{"A", a}, {"B", b}}, ns);
    measurement.resources.registers_per_thread = registers;
    measurement.resources.dynamic_shared_bytes = shared;
    return measurement;
  };
  EXPECT_TRUE(is_simpler(row(1, false, 99, 99, 99), row(2, false, 1, 1, 1), usual));
  EXPECT_TRUE(is_simpler(row(2, false, 99, 99, 99), row(2, true, 1, 1, 1), usual));
  EXPECT_TRUE(is_simpler(row(2, false, 10, 99, 99), row(3, false, 11, 1, 1), usual));
  EXPECT_TRUE(is_simpler(row(2, false, 10, 98, 99), row(3, false, 10, 99, 1), usual));
  EXPECT_TRUE(is_simpler(row(2, false, 10, 10, 1), row(3, false, 10, 10, 2), usual));
  EXPECT_FALSE(is_simpler(row(2, false, 10, 10, 2), row(3, false, 10, 10, 2), usual));
  EXPECT_TRUE(is_simpler(row(2, true, 10, 10, 2), row(1, false, 11, 10, 2), {}));
}

}  // namespace
}  // namespace warptune::tuner::session::finals
