#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/space.h"
#include "tests/model/random_spaces.h"

namespace warptune::model {
namespace {

bool is_neighbour(const Configuration& a, const Configuration& b) {
  int differences = 0;
  for (std::size_t p = 0; p < a.size(); ++p) differences += a[p] != b[p] ? 1 : 0;
  return differences == 1;
}

RC_GTEST_PROP(SpaceProperty, HoldsExactlyWhatBruteForceFinds, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  for (const std::string& text : random_space.texts) RC_LOG() << text << '\n';
  const Space space(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}});
  const std::vector<Configuration> valid = random_space.valid_by_force(space);
  RC_ASSERT(space.size() == valid.size());
  std::set<Configuration> reached;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    RC_ASSERT(space.index_of(configuration) == i);
    reached.insert(configuration);
  }
  RC_ASSERT(reached == std::set<Configuration>(valid.begin(), valid.end()));
  for (const Configuration& configuration : cartesian(random_space.parameters)) {
    RC_ASSERT(space.contains(configuration) == (reached.count(configuration) == 1));
    RC_ASSERT(space.broken_constraint(configuration).has_value() == !space.contains(configuration));
  }
}

RC_GTEST_PROP(SpaceProperty, NeighboursAreTheValidSingleChanges, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space space(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}});
  const std::vector<Configuration> valid = random_space.valid_by_force(space);
  std::vector<Configuration> all = cartesian(random_space.parameters);
  const Configuration& centre = all[base::Random(seed).below(all.size())];
  std::vector<Configuration> expected;
  std::copy_if(valid.begin(), valid.end(), std::back_inserter(expected),
               [&](const Configuration& other) { return is_neighbour(centre, other); });
  std::vector<Configuration> found = space.neighbours(centre, Neighbourhood::kHamming);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(found == expected);
  for (const Configuration& adjacent : space.neighbours(centre, Neighbourhood::kAdjacent)) {
    RC_ASSERT(std::binary_search(expected.begin(), expected.end(), adjacent));
    for (const Configuration& other : expected) {  // Nothing valid lies between.
      for (std::size_t p = 0; p < centre.size(); ++p) {
        const bool same_parameter = adjacent[p] != centre[p] && other[p] != centre[p];
        const auto [low, high] = std::minmax(adjacent[p], centre[p]);
        RC_ASSERT(!(same_parameter && low < other[p] && other[p] < high));
      }
    }
  }
}

std::uint64_t distance(const Space& space, const Configuration& configuration,
                       const std::vector<double>& positions) {
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const auto last = static_cast<double>(space.parameters()[p].values.size() - 1);
    if (last == 0.0 || std::isnan(positions[p])) continue;
    const double position = std::clamp(positions[p], 0.0, last);
    sum += static_cast<std::uint64_t>(std::llround(std::abs(configuration[p] - position) * (0x1p32 / last)));
  }
  return sum;
}

RC_GTEST_PROP(SpaceProperty, NearestHasTheMinimumDistanceAndThenTheMinimumIndex, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space space(random_space.parameters, constraints(random_space.texts), {{"C", std::int64_t{5}}});
  RC_PRE(space.size() > 0U);
  base::Random random(seed);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> positions;
    for (const Parameter& parameter : space.parameters()) {
      const auto count = static_cast<double>(parameter.values.size());
      const double anywhere = random.unit() * (count + 2.0) - 1.5;
      positions.push_back(repeat % 2 == 0 ? std::round(anywhere) : anywhere);
    }
    if (repeat == 19) positions.back() = std::nan("");
    Configuration best = space.at(0);
    for (std::uint64_t i = 1; i < space.size(); ++i) {
      const Configuration other = space.at(i);
      if (distance(space, other, positions) < distance(space, best, positions)) best = other;
    }
    RC_ASSERT(space.nearest(positions) == best);
  }
}

}  // namespace
}  // namespace warptune::model
