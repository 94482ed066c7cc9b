#include "search/analysis/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "search/analysis/modelled_importance.h"
#include "tests/search/analysis/analysis_data.h"

namespace warptune::search::analysis {
namespace {

using model::constraints;
using model::integers;
using model::one_to;

// 2 a + b + a c over {-1, 1}^4 has the variances 4, 1 and 1. d has no effect.
double known_log_time(const model::Measurement& row) {
  const double a = number(row, "A");
  return 2.0 * a + number(row, "B") + a * number(row, "C");
}

model::Recording known() {
  return recording_of({model::integers("A", {-1, 1}), model::integers("B", {-1, 1}),
                       model::integers("C", {-1, 1}), model::integers("D", {-1, 1})},
                      {},
                      [](model::Measurement& row) { set_time(row, 1e6 * std::exp(known_log_time(row))); });
}

double sum_of(const Importance& importance) {
  double sum = importance.rest;
  for (const double share : importance.by_parameter) sum += share;
  for (const PairShare& pair : importance.pairs) sum += pair.share;
  return sum;
}

TEST(Importance, RecoversTheSharesOfAKnownFunctionOverAProduct) {
  const model::Recording recording = known();
  const TimedRows rows = timed_rows(recording);
  const Importance importance = importance_of(recording.parameters, rows.configurations, rows.log_times);
  EXPECT_NEAR(importance.variance, 6.0, 1e-9);
  EXPECT_NEAR(importance.by_parameter[0], 4.0 / 6.0, 1e-6);
  EXPECT_NEAR(importance.by_parameter[1], 1.0 / 6.0, 1e-6);
  EXPECT_NEAR(importance.by_parameter[2], 0.0, 1e-6);
  EXPECT_NEAR(importance.by_parameter[3], 0.0, 1e-6);
  ASSERT_EQ(importance.pairs.size(), 1U);
  EXPECT_EQ(importance.pairs.front().first, 0U);
  EXPECT_EQ(importance.pairs.front().second, 2U);
  EXPECT_NEAR(importance.pairs.front().share, 1.0 / 6.0, 1e-6);
  EXPECT_NEAR(importance.rest, 0.0, 1e-6);
}

TEST(Importance, DividesEvenlyWhatTiedParametersDo) {
  const model::Recording recording = recording_of(
      {model::one_to("A", 4), model::one_to("B", 4), model::one_to("C", 4)}, model::constraints({"A == B"}),
      [](model::Measurement& row) { set_time(row, std::exp(number(row, "A") + number(row, "C"))); });
  const TimedRows rows = timed_rows(recording);
  const Importance importance = importance_of(recording.parameters, rows.configurations, rows.log_times);
  EXPECT_NEAR(importance.by_parameter[0], 0.25, 1e-6);
  EXPECT_NEAR(importance.by_parameter[1], 0.25, 1e-6);
  EXPECT_NEAR(importance.by_parameter[2], 0.5, 1e-6);
  EXPECT_NEAR(sum_of(importance), 1.0, 1e-9);
}

TEST(Importance, AddsUpWhereAConstraintJoinsParameters) {
  const model::Recording recording = recording_of(
      {model::one_to("A", 8), model::one_to("B", 8), model::one_to("C", 3)},
      model::constraints({"A * B <= 16"}), [](model::Measurement& row) {
        set_time(row, 1e3 * number(row, "A") / std::sqrt(number(row, "B")) + 100.0 * number(row, "C"));
      });
  const TimedRows rows = timed_rows(recording);
  const Importance importance = importance_of(recording.parameters, rows.configurations, rows.log_times);
  EXPECT_NEAR(sum_of(importance), 1.0, 1e-9);
  EXPECT_GT(importance.by_parameter[0], importance.by_parameter[1]);
  EXPECT_GE(importance.rest, -1e-9);
}

TEST(Importance, OfWhatDoesNotVaryIsNone) {
  const std::vector<model::Parameter> parameters = {model::one_to("A", 2)};
  const Importance importance = importance_of(parameters, {{0}, {1}}, std::vector<double>{3.0, 3.0});
  EXPECT_EQ(importance.by_parameter[0], 0.0);
  EXPECT_EQ(importance_of(parameters, {}, {}).configurations, 0U);
}

TEST(Importance, CallsNoNoiseAPair) {
  const std::vector<model::Parameter> parameters = {model::one_to("A", 10), model::one_to("B", 10),
                                                    model::one_to("C", 20)};
  base::Random random(3);
  std::vector<model::Configuration> configurations;
  std::vector<double> responses;
  model::Space(parameters, {}).for_each([&](const model::Configuration& configuration) {
    configurations.push_back(configuration);
    responses.push_back(random.unit());
    return true;
  });
  const Importance importance = importance_of(parameters, configurations, responses);
  EXPECT_GT(importance.rest, 0.7);
}

TEST(ModelledImportance, OverTheSpaceFollowsTheFunctionFromSomeRows) {
  model::Recording recording =
      recording_of({model::one_to("A", 10), model::one_to("B", 10), model::one_to("C", 10)}, {},
                   [](model::Measurement& row) {
                     set_time(row, 1e4 * std::exp(0.2 * number(row, "A") + 0.1 * number(row, "B")));
                   });
  base::Random random(5);
  random.shuffle(recording.measurements);
  recording.measurements.resize(300);
  const TimedRows rows = timed_rows(recording);
  const std::optional<ModelledImportance> modelled = importance_over_space(rows, recording.space());
  ASSERT_TRUE(modelled);
  EXPECT_EQ(modelled->rows, 300U);
  EXPECT_EQ(modelled->importance.configurations, 1000U);
  EXPECT_GT(modelled->model->error().r_squared, 0.95);
  EXPECT_NEAR(modelled->importance.by_parameter[0], 0.8, 0.05);
  EXPECT_NEAR(modelled->importance.by_parameter[1], 0.2, 0.05);
  EXPECT_NEAR(modelled->importance.by_parameter[2], 0.0, 0.01);
}

TEST(ModelledImportance, NearTheBestLeavesOutWhatMakesHopeless) {
  // A makes the time 1 or 10 times as long. Among the fast configurations only B has an effect.
  const model::Recording recording =
      recording_of({model::one_to("A", 2), model::one_to("B", 40)}, {}, [](model::Measurement& row) {
        set_time(row, (number(row, "A") > 1 ? 1e5 : 1e4) * (1.0 + 0.01 * number(row, "B")));
      });
  const TimedRows rows = timed_rows(recording);
  const std::optional<ModelledImportance> all = importance_over_space(rows, recording.space());
  const std::optional<ModelledImportance> near = importance_near_best(rows);
  ASSERT_TRUE(all && near);
  EXPECT_GT(all->importance.by_parameter[0], 0.9);
  EXPECT_NEAR(near->importance.by_parameter[0], 0.0, 1e-9);
  EXPECT_GT(near->importance.by_parameter[1], 0.9);
}

TEST(ModelledImportance, NeedsEnoughRows) {
  const model::Recording recording = recording_of({model::one_to("A", 10)}, {}, [](model::Measurement&) {});
  const TimedRows rows = timed_rows(recording);
  EXPECT_FALSE(importance_over_space(rows, recording.space()));
  EXPECT_FALSE(importance_near_best(rows));
}

}  // namespace
}  // namespace warptune::search::analysis
