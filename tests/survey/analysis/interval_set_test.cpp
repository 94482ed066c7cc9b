#include "survey/analysis/interval_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace warptune::survey::analysis {
namespace {

using records::Interval;

TEST(IntervalSet, JoinsIntervalsThatOverlapOrTouchAndDropsEmptyOnes) {
  const IntervalSet set({{30, 40}, {10, 20}, {15, 18}, {20, 25}, {50, 50}});
  EXPECT_THAT(set.parts(), testing::ElementsAre(Interval{10, 25}, Interval{30, 40}));
  EXPECT_EQ(set.total(), 25);
  EXPECT_TRUE(IntervalSet().empty());
}

TEST(IntervalSet, SubtractsAnIntervalThatSpansSeveralParts) {
  const IntervalSet set({{0, 10}, {20, 30}, {40, 50}});
  EXPECT_THAT(set.without(IntervalSet({{5, 45}})).parts(),
              testing::ElementsAre(Interval{0, 5}, Interval{45, 50}));
  EXPECT_THAT(IntervalSet({{0, 50}}).without(set).parts(),
              testing::ElementsAre(Interval{10, 20}, Interval{30, 40}));
}

// The operations on sets of whole numbers below 64 must be those on bits.
TEST(IntervalSet, OperationsAgreeWithThoseOnBits) {
  constexpr std::size_t kPoints = 64;
  std::mt19937 random(7);
  const auto bits_of = [](const IntervalSet& set) {
    std::bitset<kPoints> bits;
    for (const Interval& part : set.parts()) {
      for (std::int64_t i = part.start; i < part.end; ++i) bits.set(static_cast<std::size_t>(i));
    }
    return bits;
  };
  const auto drawn = [&] {
    std::vector<Interval> intervals;
    for (unsigned i = random() % 8; i > 0; --i) {
      const auto start = static_cast<std::int64_t>(random() % kPoints);
      const auto length = static_cast<std::int64_t>(random() % 12);
      intervals.push_back({start, std::min<std::int64_t>(kPoints, start + length)});
    }
    return IntervalSet(intervals);
  };
  for (int round = 0; round < 2000; ++round) {
    const IntervalSet a = drawn();
    const IntervalSet b = drawn();
    EXPECT_EQ(bits_of(a.united(b)), bits_of(a) | bits_of(b));
    EXPECT_EQ(bits_of(a.common(b)), bits_of(a) & bits_of(b));
    EXPECT_EQ(bits_of(a.without(b)), bits_of(a) & ~bits_of(b));
    EXPECT_EQ(static_cast<std::size_t>(a.total()), bits_of(a).count());
  }
}

}  // namespace
}  // namespace warptune::survey::analysis
