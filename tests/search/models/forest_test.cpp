#include "search/models/forest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/model/spaces.h"

namespace warptune::search::models {
namespace {

using model::one_to;

model::Parameter hints() {
  model::Parameter parameter;
  parameter.name = "hint";
  for (const char* name : {"a", "b", "c", "d"}) parameter.values.emplace_back(std::string(name));
  return parameter;
}

std::vector<model::Configuration> all_of(const std::vector<model::Parameter>& parameters) {
  std::vector<model::Configuration> all;
  model::Space(parameters, {}).for_each([&](const model::Configuration& configuration) {
    all.push_back(configuration);
    return true;
  });
  return all;
}

template <class Function>
std::vector<double> responses_of(const std::vector<model::Configuration>& configurations, const Function& f) {
  std::vector<double> responses;
  responses.reserve(configurations.size());
  for (const model::Configuration& configuration : configurations) responses.push_back(f(configuration));
  return responses;
}

TEST(Forest, LearnsAnInteractionOfNumbersAndTexts) {
  const std::vector<model::Parameter> parameters = {model::one_to("x", 12), model::one_to("y", 12), hints()};
  const std::vector<model::Configuration> all = all_of(parameters);
  const auto known = [](const model::Configuration& c) {
    const double hint = c[2] == 1 || c[2] == 3 ? 0.5 : 0.0;  // b and d are not adjacent in the list.
    return 0.1 * c[0] + (c[1] > 6 ? hint : 0.0);
  };
  const Forest forest(parameters, all, responses_of(all, known));
  EXPECT_GT(forest.error().r_squared, 0.97);
  EXPECT_LT(forest.error().median_relative_error, 0.05);
  EXPECT_EQ(forest.error().rows, all.size());
  EXPECT_NEAR(forest.predict({5, 9, 1}), known({5, 9, 1}), 0.1);
  EXPECT_NEAR(forest.predict({5, 2, 1}), known({5, 2, 1}), 0.1);
}

TEST(Forest, SaysThatItCannotPredictNoise) {
  const std::vector<model::Parameter> parameters = {model::one_to("x", 20), model::one_to("y", 20)};
  const std::vector<model::Configuration> all = all_of(parameters);
  base::Random random(7);
  const Forest forest(parameters, all, responses_of(all, [&](const auto&) { return random.unit(); }));
  EXPECT_LT(forest.error().r_squared, 0.1);
}

TEST(Forest, IsTheSameForTheSameSeedOnly) {
  const std::vector<model::Parameter> parameters = {model::one_to("x", 20), model::one_to("y", 20)};
  const std::vector<model::Configuration> all = all_of(parameters);
  base::Random random(7);
  const std::vector<double> responses = responses_of(all, [&](const auto&) { return random.unit(); });
  ForestOptions options;
  const Forest first(parameters, all, responses, options);
  const Forest again(parameters, all, responses, options);
  options.seed = 2;
  const Forest other(parameters, all, responses, options);
  EXPECT_EQ(first.predict({3, 4}), again.predict({3, 4}));
  EXPECT_EQ(first.error().r_squared, again.error().r_squared);
  EXPECT_NE(first.error().r_squared, other.error().r_squared);
}

TEST(Forest, PredictsSeveralConfigurationsAsItPredictsEachOfThem) {
  const std::vector<model::Parameter> parameters = {model::one_to("x", 12), model::one_to("y", 3), hints()};
  const std::vector<model::Configuration> all = all_of(parameters);
  base::Random random(7);
  const Forest forest(parameters, all, responses_of(all, [&](const auto&) { return random.unit(); }));
  const std::vector<double> predictions = forest.predict_all(all);
  ASSERT_EQ(predictions.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(predictions[i], forest.predict(all[i])) << i;
  EXPECT_NE(predictions.front(), predictions.back());
  EXPECT_TRUE(forest.predict_all({}).empty());
}

TEST(Forest, GivesTheMeanOfWhatDoesNotVary) {
  const std::vector<model::Parameter> parameters = {model::one_to("x", 4)};
  const std::vector<model::Configuration> all = all_of(parameters);
  const Forest forest(parameters, all, responses_of(all, [](const auto&) { return 2.5; }));
  EXPECT_DOUBLE_EQ(forest.predict({2}), 2.5);
  EXPECT_EQ(forest.error().r_squared, 0.0);
  EXPECT_NEAR(forest.error().median_relative_error, 0.0, 1e-12);
}

TEST(Forest, OfOneRowHasNoErrorToSay) {
  const Forest forest({model::one_to("x", 4)}, {{1}}, std::vector<double>{3.0});
  EXPECT_DOUBLE_EQ(forest.predict({3}), 3.0);
  EXPECT_EQ(forest.error().rows, 0U);
}

TEST(Forest, RefusesNoRows) {
  EXPECT_THROW(Forest({model::one_to("x", 4)}, {}, std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(Forest({model::one_to("x", 4)}, {{1}}, std::vector<double>{1.0, 2.0}), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::search::models
