#include "model/diagrams/decision_diagram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "model/diagrams/group_diagrams.h"
#include "model/space.h"

namespace warptune::model::diagrams {
namespace {

using ::testing::ElementsAre;

/// Some configurations of three parameters with five values each, sorted, and their diagram.
struct Listed {
  explicit Listed(std::uint64_t seed) {
    base::Random random(seed);
    std::set<Configuration> distinct;
    for (std::uint64_t count = 1 + random.below(40); count > 0; --count) {
      const auto value = [&random] { return static_cast<std::uint32_t>(random.below(5)); };
      distinct.insert({value(), value(), value()});
    }
    configurations.assign(distinct.begin(), distinct.end());
    std::vector<Configuration> mixed = configurations;
    mixed.push_back(mixed.front());  // Twice, which changes nothing.
    random.shuffle(mixed);
    diagram = listed_diagram(std::move(mixed), 3);
  }

  std::vector<Configuration> configurations;
  DecisionDiagram diagram{{}};
};

RC_GTEST_PROP(DecisionDiagramProperty, RankAndUnrankNumberThePathsInTheirOrder, (std::uint64_t seed)) {
  const Listed listed(seed);
  RC_ASSERT(listed.diagram.count() == listed.configurations.size());
  RC_ASSERT(listed.diagram.weight() == static_cast<long double>(listed.configurations.size()));
  Configuration configuration(3, 0);
  for (std::uint64_t i = 0; i < listed.configurations.size(); ++i) {
    listed.diagram.unrank(i, configuration.data());
    RC_ASSERT(configuration == listed.configurations[i]);
    RC_ASSERT(listed.diagram.rank(configuration.data()) == i);
  }
  std::vector<Configuration> visited;
  RC_ASSERT(listed.diagram.for_each(configuration.data(), [&] {
    visited.push_back(configuration);
    return true;
  }));
  RC_ASSERT(visited == listed.configurations);
}

RC_GTEST_PROP(DecisionDiagramProperty, HoldsNoPathButThose, (std::uint64_t seed)) {
  const Listed listed(seed);
  for (std::uint32_t place = 0; place < 125; ++place) {
    const Configuration configuration = {place / 25, place / 5 % 5, place % 5};
    const bool known =
        std::binary_search(listed.configurations.begin(), listed.configurations.end(), configuration);
    RC_ASSERT(listed.diagram.contains(configuration.data()) == known);
    RC_ASSERT(listed.diagram.rank(configuration.data()).has_value() == known);
  }
}

RC_GTEST_PROP(DecisionDiagramProperty, NearestIsTheFirstPathOfMinimumDistance, (std::uint64_t seed)) {
  const Listed listed(seed);
  base::Random random(seed ^ 1);
  const auto target = [&random] { return Target(random.unit() * 6.0 - 1.0, 5); };
  const std::vector<Target> targets = {target(), target(), target()};
  const auto distance = [&targets](const Configuration& configuration) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < 3; ++p) sum += targets[p].distance(configuration[p]);
    return sum;
  };
  Configuration found(3, 0);
  listed.diagram.nearest(targets, found.data());
  const auto best = std::min_element(listed.configurations.begin(), listed.configurations.end(),
                                     [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  RC_ASSERT(found == *best);
}

RC_GTEST_PROP(DecisionDiagramProperty, OffersEveryValueThatMakesAPath, (std::uint64_t seed)) {
  const Listed listed(seed);
  base::Random random(seed ^ 2);
  const auto value = [&random] { return static_cast<std::uint32_t>(random.below(5)); };
  const Configuration configuration = {value(), value(), value()};
  for (std::size_t level = 0; level < 3; ++level) {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> next;
    listed.diagram.for_each_change(configuration.data(), level, false, [&](std::uint32_t change) {
      all.push_back(change);
      return true;
    });
    listed.diagram.for_each_change(configuration.data(), level, true, [&](std::uint32_t change) {
      next.push_back(change);
      return true;
    });
    std::vector<std::uint32_t> expected;
    for (std::uint32_t change = 0; change < 5; ++change) {
      Configuration changed = configuration;
      changed[level] = change;
      if (change != configuration[level] && listed.diagram.contains(changed.data()))
        expected.push_back(change);
    }
    RC_ASSERT(all == expected);
    std::vector<std::uint32_t> adjacent;
    const auto above = std::lower_bound(expected.begin(), expected.end(), configuration[level]);
    if (above != expected.begin()) adjacent.push_back(*(above - 1));
    if (above != expected.end()) adjacent.push_back(*above);
    RC_ASSERT(next == adjacent);
  }
}

TEST(DecisionDiagram, EqualChoicesShareANode) {
  DecisionDiagram diagram({0, 1});
  const std::uint32_t node =
      diagram.intern({{0, DecisionDiagram::kComplete}, {2, DecisionDiagram::kComplete}});
  EXPECT_EQ(diagram.intern({{0, DecisionDiagram::kComplete}, {2, DecisionDiagram::kComplete}}), node);
  EXPECT_NE(diagram.intern({{0, DecisionDiagram::kComplete}, {1, DecisionDiagram::kComplete}}), node);
  EXPECT_EQ(diagram.intern({}), DecisionDiagram::kEmpty);
  diagram.finish(diagram.intern({{0, node}, {7, node}}));
  EXPECT_EQ(diagram.node_count(), 3U);
  EXPECT_EQ(diagram.count(), 4U);
}

TEST(DecisionDiagram, WithoutPathsIsEmpty) {
  const DecisionDiagram diagram = listed_diagram({}, 2);
  EXPECT_EQ(diagram.count(), 0U);
  Configuration configuration = {0, 0};
  EXPECT_FALSE(diagram.contains(configuration.data()));
  EXPECT_TRUE(diagram.for_each(configuration.data(), [] { return false; }));
}

TEST(DecisionDiagram, SamplesItsPathsUniformly) {
  const DecisionDiagram diagram = listed_diagram({{0, 0}, {0, 1}, {0, 2}, {1, 2}}, 2);
  base::Random random(5);
  std::map<Configuration, int> drawn;
  Configuration configuration = {0, 0};
  for (int i = 0; i < 4000; ++i) {
    diagram.sample(random, configuration.data());
    ++drawn[configuration];
  }
  ASSERT_EQ(drawn.size(), 4U);
  for (const auto& [path, count] : drawn) EXPECT_NEAR(count, 1000, 150) << path[0] << " " << path[1];
}

// 72 levels: 2^71 paths through the first value of the first level, one through the second.
TEST(DecisionDiagram, CountsSaturateAndSamplesThenFollowWeights) {
  std::vector<std::uint32_t> order(72);
  for (std::uint32_t level = 0; level < 72; ++level) order[level] = level;
  DecisionDiagram diagram(order);
  std::uint32_t full = DecisionDiagram::kComplete;
  std::uint32_t single = DecisionDiagram::kComplete;
  for (int level = 71; level > 0; --level) {
    full = diagram.intern({{0, full}, {1, full}});
    single = diagram.intern({{1, single}});
  }
  diagram.finish(diagram.intern({{0, full}, {1, single}}));
  EXPECT_EQ(diagram.count(), UINT64_MAX);
  EXPECT_EQ(diagram.weight(), std::pow(2.0L, 71) + 1.0L);
  base::Random random(3);
  Configuration configuration(72, 0);
  int ones = 0;
  for (int i = 0; i < 400; ++i) {
    diagram.sample(random, configuration.data());
    EXPECT_EQ(configuration[0], 0U);
    ones += static_cast<int>(configuration[71]);
  }
  EXPECT_NEAR(ones, 200, 60);
}

TEST(Saturation, EndsAtTheLargestNumber) {
  EXPECT_EQ(saturating_add(3, 4), 7U);
  EXPECT_EQ(saturating_add(UINT64_MAX, 1), UINT64_MAX);
  EXPECT_EQ(saturating_multiply(3, 4), 12U);
  EXPECT_EQ(saturating_multiply(std::uint64_t{1} << 33, std::uint64_t{1} << 33), UINT64_MAX);
}

TEST(Target, CountsTheWholeLengthOfAListAsOne) {
  const Target target(1.0, 5);
  EXPECT_EQ(target.distance(1), 0U);
  EXPECT_EQ(target.distance(2), static_cast<std::uint64_t>(Target::kFullLength / 4));
  EXPECT_EQ(Target(9.0, 5).distance(4), 0U);  // Outside: the nearer end.
  EXPECT_EQ(Target(std::nan(""), 5).distance(4), Target(std::nan(""), 5).distance(0));
  EXPECT_EQ(Target(0.5, 1).distance(0), 0U);
}

}  // namespace
}  // namespace warptune::model::diagrams
