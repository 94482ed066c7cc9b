#include "tuner/covering/size_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warptune::tuner::covering {
namespace {

using covers::ListedSize;
using covers::parse_range;
using covers::parse_size_list;
using covers::Size;
using covers::SizeRange;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<Size> sizes_of(const std::vector<ListedSize>& listed) {
  std::vector<Size> sizes;
  for (const ListedSize& one : listed) sizes.push_back(one.size);
  return sizes;
}

TEST(SizePoolTest, APoolHasTheMiddleTheCornersAndDifferentSizesOfTheRange) {
  const SizeRange range = parse_range("M=64..4096 log2, N=100..1000", "here");
  const std::vector<Size> pool = sizes_of(size_pool(range, 60, 1));
  ASSERT_THAT(pool, SizeIs(60));
  EXPECT_EQ(pool[0], (Size{512, 316}));
  for (const Size& corner : {Size{64, 100}, Size{64, 1000}, Size{4096, 100}, Size{4096, 1000}})
    EXPECT_THAT(pool, Contains(corner));
  EXPECT_EQ(std::set<Size>(pool.begin(), pool.end()).size(), pool.size());
  std::size_t doublings = 0;
  for (const Size& size : pool) {
    EXPECT_TRUE(range.contains(size));
    doublings += (size[0] & (size[0] - 1)) == 0 ? 1U : 0U;
  }
  EXPECT_GT(doublings, 20U);
  EXPECT_LT(doublings, 50U) << "sizes between the doublings count too";
}

TEST(SizePoolTest, StepsAndListsAreKept) {
  base::Random random(2);
  const SizeRange range = parse_range("N=64..1000 step 64, K={5,700}", "here");
  for (int i = 0; i < 200; ++i) {
    const Size size = draw_size(range, random).size;
    EXPECT_EQ(size[0] % 64, 0);
    EXPECT_LE(size[0], 960);
    EXPECT_TRUE(size[1] == 5 || size[1] == 700);
  }
}

TEST(SizePoolTest, TheNumberOfSizesIsThatOfTheProduct) {
  EXPECT_EQ(size_count(parse_range("N=64..1000 step 64, K={5,700}, B=1", "here")), 30.0);
  EXPECT_EQ(size_count(parse_range("N=1..1000 log2", "here")), 1000.0);
  EXPECT_EQ(size_count(parse_size_list("M=1\nM=2 weight 9\n", "list")), 2.0);
}

TEST(SizePoolTest, ListedSizesAreDrawnByTheirWeights) {
  const SizeRange range = parse_size_list("M=1\nM=2 weight 9\n", "list");
  base::Random random(1);
  std::map<std::int64_t, int> drawn;
  for (int i = 0; i < 1000; ++i) ++drawn[draw_size(range, random).size[0]];
  EXPECT_NEAR(drawn[2], 900, 50);
  EXPECT_THAT(sizes_of(size_pool(range, 1, 1)), ElementsAre(Size{1}, Size{2}));
}

TEST(SizePoolTest, SpreadOutSizesBeginInTheMiddleAndGoToTheEnds) {
  const SizeRange range = parse_range("M=64..4096 log2", "here");
  const std::vector<Size> spread = sizes_of(spread_out(range, size_pool(range, 40, 1), 3));
  EXPECT_EQ(spread[0], Size{512});
  EXPECT_THAT((std::vector<Size>{spread[1], spread[2]}),
              ::testing::UnorderedElementsAre(Size{64}, Size{4096}));
  EXPECT_THAT(spread_out(range, {{{64}, 1.0}}, 5), SizeIs(1));
}

}  // namespace
}  // namespace warptune::tuner::covering
