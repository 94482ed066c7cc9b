#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace warptune::base {
namespace {

// Vigna's reference implementation, splitmix64.c, started at 1234567.
TEST(SplitMix64, FollowsTheReference) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL}) {
    EXPECT_EQ(split_mix64(state), expected);
    state += 0x9E3779B97F4A7C15ULL;
  }
}

TEST(Random, RepeatsFromItsSeedAndDiffersFromAnother) {
  Random a(7);
  Random b(7);
  Random c(8);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, a.next());
}

TEST(Random, DrawsEveryNumberBelowABoundAboutEquallyOften) {
  Random random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, AcceptsTheMinimumAndTheMaximumBound) {
  Random random(1);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
}

TEST(Random, DrawsUnitNumbersFromTheWholeUnitInterval) {
  Random random(3);
  double low = 1.0;
  double high = 0.0;
  double sum = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.unit();
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
  }
  EXPECT_GE(low, 0.0);
  EXPECT_LT(low, 0.01);
  EXPECT_LT(high, 1.0);
  EXPECT_GT(high, 0.99);
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, ShufflesWithoutLosingAnything) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  Random(5).shuffle(shuffled);
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

}  // namespace
}  // namespace warptune::base
