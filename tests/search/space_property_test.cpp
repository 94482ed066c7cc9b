#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "search/space.h"
#include "tests/search/spaces.h"

namespace warptune::search {
namespace {

// Random expressions over a few parameters of every type, most of them well typed, some not, so that errors
// occur, too.
class ExpressionMaker {
 public:
  ExpressionMaker(base::Random& random, const std::vector<Parameter>& parameters)
      : random_(random), parameters_(parameters) {}

  std::string condition(int depth) {
    switch (random_.below(depth > 0 ? 7 : 3)) {
      case 3:
        return "(" + condition(depth - 1) + " && " + condition(depth - 1) + ")";
      case 4:
        return "(" + condition(depth - 1) + " || " + condition(depth - 1) + ")";
      case 5:
        return "!" + condition(depth - 1);
      case 6:
        return "(" + condition(depth - 1) + " ? " + condition(depth - 1) + " : " + condition(depth - 1) + ")";
      default:
        return "(" + number(2) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) + number(2) + ")";
    }
  }

 private:
  std::string pick(const std::vector<std::string>& choices) { return choices[random_.below(choices.size())]; }

  std::string number(int depth) {
    if (depth == 0 || random_.below(4) == 0) return leaf();
    const std::string a = number(depth - 1);
    const std::string b = number(depth - 1);
    switch (random_.below(8)) {
      case 0:
        return pick({"min(", "max(", "ceil_div(", "round_up("}) + a + ", " + b + ")";
      case 1:
        return pick({"abs(", "is_pow2(", "log2(", "-("}) + a + ")";
      case 2:
        return "(" + condition(0) + " ? " + a + " : " + b + ")";
      default:
        return "(" + a + pick({" + ", " - ", " * ", " * ", " / ", " // ", " % "}) + b + ")";
    }
  }

  std::string leaf() {
    if (random_.below(4) == 0)
      return pick({"0", "1", "2", "3", "8", "24", "2.5", "C", "4611686018427387904"});
    return parameters_[random_.below(parameters_.size())].name;
  }

  base::Random& random_;
  const std::vector<Parameter>& parameters_;
};

std::vector<Parameter> make_parameters(base::Random& random) {
  std::vector<Parameter> parameters(1 + random.below(5));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].name = std::string(1, static_cast<char>('a' + p));
    const std::uint64_t type = random.below(8);
    std::vector<std::int64_t> numbers = {-3, -1, 0, 1, 2, 3, 4, 6, 8, 16, 4611686018427387904};
    random.shuffle(numbers);
    numbers.resize(1 + random.below(5));
    for (const std::int64_t number : numbers) {
      if (type == 0) {
        parameters[p].values.emplace_back(static_cast<double>(number) / 2.0);
      } else if (type == 1) {
        parameters[p].values.emplace_back("t" + std::to_string(number));
      } else {
        parameters[p].values.emplace_back(number);
      }
    }
    if (type == 2) parameters[p].values = {false, true};
  }
  return parameters;
}

std::vector<Configuration> cartesian(const std::vector<Parameter>& parameters) {
  std::vector<Configuration> all = {{}};
  for (const Parameter& parameter : parameters) {
    std::vector<Configuration> longer;
    for (const Configuration& shorter : all) {
      for (std::uint32_t v = 0; v < parameter.values.size(); ++v) {
        longer.push_back(shorter);
        longer.back().push_back(v);
      }
    }
    all = std::move(longer);
  }
  return all;
}

struct RandomSpace {
  explicit RandomSpace(std::uint64_t seed) : random(seed), parameters(make_parameters(random)) {
    ExpressionMaker maker(random, parameters);
    for (std::uint64_t count = random.below(4); count > 0; --count) texts.push_back(maker.condition(2));
  }

  // By evaluating every constraint by name on every combination.
  std::vector<Configuration> valid_by_force(const Space& space) const {
    std::vector<Configuration> valid;
    for (const Configuration& configuration : cartesian(parameters)) {
      NamedValues values = space.values_of(configuration);
      values.emplace_back("C", std::int64_t{5});
      const bool good =
          std::all_of(space.constraints().begin(), space.constraints().end(), [&](const Constraint& c) {
            return c.expression.evaluate(values).and_then(to_truth).value_or(false);
          });
      if (good) valid.push_back(configuration);
    }
    return valid;
  }

  base::Random random;
  std::vector<Parameter> parameters;
  std::vector<std::string> texts;
};

bool is_neighbour(const Configuration& a, const Configuration& b) {
  int differences = 0;
  for (std::size_t p = 0; p < a.size(); ++p) differences += a[p] != b[p] ? 1 : 0;
  return differences == 1;
}

RC_GTEST_PROP(SpaceProperty, HoldsExactlyWhatBruteForceFinds, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  for (const std::string& text : random_space.texts) RC_LOG() << text << '\n';
  const Space space(random_space.parameters, testing_spaces::constraints(random_space.texts),
                    {{"C", std::int64_t{5}}});
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
  const Space space(random_space.parameters, testing_spaces::constraints(random_space.texts),
                    {{"C", std::int64_t{5}}});
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
    sum += static_cast<std::uint64_t>(std::abs(configuration[p] - position) * (0x1p32 / last) + 0.5);
  }
  return sum;
}

RC_GTEST_PROP(SpaceProperty, NearestIsTheLeastDistanceOfAllAndOfEqualsTheLeastIndex, (std::uint64_t seed)) {
  const RandomSpace random_space(seed);
  const Space space(random_space.parameters, testing_spaces::constraints(random_space.texts),
                    {{"C", std::int64_t{5}}});
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
}  // namespace warptune::search
