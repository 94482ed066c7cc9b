#include "tuner/drafting/problem_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace warptune::tuner::drafting {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

TEST(ProblemSizesTest, ExplainBuffersByTheFewestSizes) {
  ProblemSizes sizes({{"M", 300}, {"N", 70}, {"K", 20}, {"STEPS", 1}});
  EXPECT_THAT(sizes.count(300), Optional(std::string("M")));
  EXPECT_THAT(sizes.count(300 * 20), Optional(std::string("M * K")));
  EXPECT_THAT(sizes.count(301), Optional(std::string("M + 1")));
  EXPECT_THAT(sizes.count(3 * 300), Optional(std::string("3 * M")));
  EXPECT_EQ(sizes.count(307), std::nullopt);
  EXPECT_EQ(sizes.count(17 * 300 * 70 * 20), std::nullopt);
  EXPECT_THAT(sizes.used(), ElementsAre(Pair("M", 300), Pair("K", 20)));
  EXPECT_THAT(sizes.used_value("K"), Optional(20));
  EXPECT_EQ(sizes.used_value("N"), std::nullopt);
  EXPECT_EQ(sizes.used_value("OTHER"), std::nullopt);
}

TEST(ProblemSizesTest, ExplainTheGridByEqualityBeforeDivision) {
  ProblemSizes sizes({{"ROWS", 4000}, {"COLUMNS", 1000}});
  EXPECT_THAT(sizes.grid(4000, 256, "BLOCK"), Optional(std::string("ROWS")));
  EXPECT_THAT(sizes.grid(16, 256, "BLOCK"), Optional(std::string("ceil_div(ROWS, BLOCK)")));
  EXPECT_THAT(sizes.grid(15625, 256, "BLOCK"), Optional(std::string("ceil_div(ROWS * COLUMNS, BLOCK)")));
  EXPECT_THAT(sizes.grid(8, 256, "BLOCK"), Optional(std::string("ceil_div(ROWS, BLOCK * 2)")));
  EXPECT_EQ(sizes.grid(1, 256, "BLOCK"), std::nullopt);
  EXPECT_THAT(sizes.grid(1, 1024, "BLOCK"), Optional(std::string("ceil_div(COLUMNS, BLOCK)")));
  EXPECT_EQ(sizes.grid(16, 1, ""), std::nullopt);
}

TEST(ProblemSizesTest, EqualSizesAreUsedTogether) {
  ProblemSizes sizes({{"M", 64}, {"N", 64}, {"K", 8}});
  EXPECT_THAT(sizes.count(64), Optional(std::string("M")));
  EXPECT_THAT(sizes.used(), ElementsAre(Pair("M", 64), Pair("N", 64)));
}

TEST(ProblemSizesTest, LargeSizesDoNotOverflow) {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  ProblemSizes sizes({{"A", large}, {"B", large}, {"C", -5}});
  EXPECT_THAT(sizes.count(large), Optional(std::string("A")));
  EXPECT_EQ(sizes.count(5), std::nullopt);
  EXPECT_EQ(sizes.grid(3, 1024, "BLOCK"), std::nullopt);
}

}  // namespace
}  // namespace warptune::tuner::drafting
