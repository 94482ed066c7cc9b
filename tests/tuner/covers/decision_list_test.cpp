// Also the test of list_learning.cpp.
#include "tuner/covers/decision_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/random.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::SizeIs;

const std::vector<std::string> kNames = {"M", "N"};

// Examples at powers of two, each with the one configuration that `right` says.
std::vector<ListExample> examples_of(const std::function<std::size_t(const Size&)>& right,
                                     std::size_t count) {
  std::vector<ListExample> examples;
  for (std::int64_t m = 64; m <= 4096; m *= 2) {
    for (std::int64_t n = 64; n <= 4096; n *= 2) {
      ListExample example{{m, n}, 1.0, std::vector<bool>(count)};
      example.allowed[right(example.size)] = true;
      examples.push_back(example);
    }
  }
  return examples;
}

void expect_right(const DecisionList& list, const std::vector<ListExample>& examples) {
  for (const ListExample& one : examples)
    EXPECT_TRUE(one.allowed[list.configuration_for(one.size)]) << one.size[0] << " " << one.size[1];
}

TEST(DecisionListTest, AProductThatDecidesIsFound) {
  const auto examples = examples_of([](const Size& size) { return size[0] * size[1] <= 65536 ? 1U : 0U; }, 2);
  const DecisionList list = learn_list(kNames, examples);
  ASSERT_THAT(list.lines, SizeIs(2));
  EXPECT_EQ(list.text_of(1), "otherwise");
  EXPECT_THAT(list.text_of(0), ::testing::StartsWith("M * N "));
  EXPECT_EQ(list.lines[0].sizes + list.lines[1].sizes, examples.size());
  expect_right(list, examples);
}

TEST(DecisionListTest, ALineMayHaveTwoConditions) {
  const auto examples =
      examples_of([](const Size& size) { return size[0] > 512 && size[1] <= 256 ? 1U : 0U; }, 2);
  const DecisionList list = learn_list(kNames, examples);
  EXPECT_THAT(list.lines, SizeIs(::testing::Le(3)));
  expect_right(list, examples);
}

TEST(DecisionListTest, OneConfigurationForAllIsOneLine) {
  const DecisionList list = learn_list(kNames, examples_of([](const Size&) { return 0U; }, 1));
  ASSERT_THAT(list.lines, SizeIs(1));
  EXPECT_EQ(list.configuration_for({1, 1}), 0U);
}

TEST(DecisionListTest, MultiplesOfASizeCanDecide) {
  std::vector<ListExample> examples;
  for (std::int64_t m = 100; m < 130; ++m) examples.push_back({{m, 7}, 1.0, {m % 4 == 0, m % 4 != 0}});
  const DecisionList list = learn_list(kNames, examples);
  ASSERT_THAT(list.lines, SizeIs(2));
  EXPECT_THAT(list.text_of(0), ::testing::AnyOf("M % 4 != 0", "M % 4 == 0"));
  EXPECT_EQ(list.configuration_for({1024, 1}), 0U);
  EXPECT_EQ(list.configuration_for({1025, 1}), 1U);
}

TEST(DecisionListTest, ExamplesWithoutAnyPatternAreAllAnsweredRightly) {
  base::Random random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const auto examples = examples_of([&](const Size&) { return random.below(4); }, 4);
    const DecisionList list = learn_list(kNames, examples);
    expect_right(list, examples);
    std::size_t answered = 0;
    for (const DecisionLine& line : list.lines) answered += line.sizes;
    EXPECT_EQ(answered, examples.size());
  }
}

TEST(DecisionListTest, ARatioIsWrittenAsAProduct) {
  const SizeCondition wide{{{0}, {1}}, Comparison::kAbove, 2.0};
  EXPECT_EQ(wide.text(kNames), "M > 2 * N");
  EXPECT_TRUE(wide.holds({201, 100}));
  EXPECT_FALSE(wide.holds({200, 100}));
  EXPECT_EQ((SizeCondition{{{0}, {1}}, Comparison::kAtMost, 1.0}.text(kNames)), "M <= N");
}

}  // namespace
}  // namespace warptune::tuner::covers
