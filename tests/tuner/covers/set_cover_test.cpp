#include "tuner/covers/set_cover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SetCoverTest, TheMinimumCoverIsFoundWhereTheGreedyChoiceNeedsMore) {
  // The third set is the largest, but with it three are needed.
  EXPECT_THAT(minimum_cover({{true, true, true, false, false, false},
                             {false, false, false, true, true, true},
                             {false, true, true, true, true, false}}),
              ElementsAre(0, 1));
}

TEST(SetCoverTest, ElementsThatNoSetContainsAreLeftOut) {
  EXPECT_THAT(minimum_cover({{false, true}, {false, false}}), ElementsAre(0));
  EXPECT_THAT(minimum_cover({{false}, {false}}), IsEmpty());
  EXPECT_THAT(minimum_cover({}), IsEmpty());
}

TEST(SetCoverTest, NoSmallerChoiceExistsInSmallRandomCases) {
  base::Random random(3);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<std::vector<bool>> sets(9, std::vector<bool>(8));
    for (std::vector<bool>& set : sets) {
      for (std::size_t e = 0; e < 8; ++e) set[e] = random.below(3) == 0;
    }
    const auto covered = [&](unsigned chosen) {
      std::vector<bool> all(8);
      for (unsigned s = 0; s < 9; ++s) {
        for (std::size_t e = 0; e < 8; ++e) all[e] = all[e] || ((chosen >> s & 1U) != 0 && sets[s][e]);
      }
      return all;
    };
    std::size_t fewest = 9;
    for (unsigned chosen = 0; chosen < 512; ++chosen) {
      if (covered(chosen) == covered(511))
        fewest = std::min(fewest, static_cast<std::size_t>(__builtin_popcount(chosen)));
    }
    unsigned found = 0;
    for (const std::size_t s : minimum_cover(sets)) found |= 1U << s;
    EXPECT_EQ(covered(found), covered(511));
    EXPECT_EQ(static_cast<std::size_t>(__builtin_popcount(found)), fewest) << trial;
  }
}

TEST(SetCoverTest, WithoutStepsTheGreedyChoiceIsTheAnswer) {
  EXPECT_EQ(minimum_cover({{true, true, true, false, false, false},
                           {false, false, false, true, true, true},
                           {false, true, true, true, true, false}},
                          0)
                .size(),
            3U);
}

}  // namespace
}  // namespace warptune::tuner::covers
