#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/space.h"
#include "tests/model/spaces.h"

// Spaces at random, with what brute force finds in them.
namespace warptune::model {

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
        return pick({"min(", "max(", "ceil_div(", "round_up(", "pow("}) + a + ", " + b + ")";
      case 1:
        return pick({"abs(", "is_pow2(", "log2(", "sqrt(", "exp(", "floor(", "-("}) + a + ")";
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

inline std::vector<Parameter> make_parameters(base::Random& random) {
  // A few parameters of many values, often in order, or up to five of few.
  const bool wide = random.below(4) == 0;
  std::vector<Parameter> parameters(1 + random.below(wide ? 3 : 5));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].name = std::string(1, static_cast<char>('a' + p));
    const std::uint64_t type = random.below(8);
    std::vector<std::int64_t> numbers = {-3, -1, 0, 1, 2, 3, 4, 6, 8, 16, 4611686018427387904};
    if (wide) {
      numbers.clear();
      for (std::int64_t number = -4; number < 13; ++number) numbers.push_back(number * 3 - number % 2);
    }
    random.shuffle(numbers);
    numbers.resize(1 + random.below(wide ? numbers.size() : 5));
    if (random.below(2) == 0) std::sort(numbers.begin(), numbers.end());
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

inline std::vector<Configuration> cartesian(const std::vector<Parameter>& parameters) {
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

}  // namespace warptune::model
