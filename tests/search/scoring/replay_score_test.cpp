// Compares simulated runs and their scores with figures that were calculated by hand, over small invented
// recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "model/fields.h"
#include "search/scoring/aggregate_score.h"
#include "search/scoring/curve_fits.h"
#include "search/scoring/run_figures.h"
#include "tests/model/spaces.h"

namespace warptune::search::scoring {
namespace {

using model::one_to;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A space of one parameter `x` = 1, 2, ... A NaN time is a failure. Each evaluation costs 1 s of compiling
// and 1 s of measuring.
model::Recording recording_of(const std::vector<double>& times_ns) {
  model::Recording recording;
  recording.listed = true;
  recording.parameters = {model::one_to("x", static_cast<std::int64_t>(times_ns.size()))};
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    model::Measurement row;
    row.configuration = {{"x", static_cast<std::int64_t>(i + 1)}};
    row.status = std::isnan(times_ns[i]) ? model::Status::kCompileFailed : model::Status::kMeasured;
    if (row.status == model::Status::kMeasured) row.time = model::TimeSummary{times_ns[i]};
    row.compile_ms = 1000.0;
    row.measure_ms = 1000.0;
    recording.measurements.push_back(std::move(row));
  }
  return recording;
}

// Times that are distributed as in real spaces: few are near the best.
model::Recording large_recording(std::size_t count) {
  base::Random random(7);
  std::vector<double> times_ns;
  for (std::size_t i = 0; i < count; ++i) times_ns.push_back(1000.0 * (1.0 + 3.0 * std::sqrt(random.unit())));
  return recording_of(times_ns);
}

Trace trace_of(const std::vector<double>& objectives_ns, double seconds_each = 2.0) {
  Trace trace;
  for (const double objective : objectives_ns) {
    trace.add(model::from_nan(seconds_each * static_cast<double>(trace.points.size() + 1)),
              model::from_nan(objective));
  }
  return trace;
}

std::vector<Trace> runs_of(std::string_view strategy, const RecordedSpace& recorded, std::uint64_t count) {
  std::vector<Trace> runs;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SimulationOptions options;
    options.seed = seed;
    options.budget.seconds = kScoredBudget * cut_off(recorded, kLastPercentile).seconds;
    runs.push_back(simulate(strategy, recorded, options));
  }
  return runs;
}

TEST(RecordedSpaceTest, KnowsTheFiguresThatScoresNeed) {
  model::Recording recording = recording_of({4.0, kNan, 1.0, 3.0, kNan});
  recording.measurements[1].compile_ms = 4000.0;
  const RecordedSpace recorded(recording);
  EXPECT_EQ(recorded.space().size(), 5U);
  EXPECT_THAT(recorded.times_ns(), ElementsAre(1.0, 3.0, 4.0));
  EXPECT_EQ(recorded.best_ns(), 1.0);
  EXPECT_EQ(recorded.median_ns(), 3.0);
  EXPECT_DOUBLE_EQ(recorded.median_cost_s(), 2.0);
  EXPECT_DOUBLE_EQ(recorded.mean_cost_s(), 2.0 + 0.4 * 3.5);
}

TEST(RecordedSpaceTest, TakesTheLastOfRepeatedRowsAndNoTimeThatIsNoNumber) {
  model::Recording recording = recording_of({4.0, 2.0, 3.0});
  recording.measurements.push_back(recording.measurements[1]);
  recording.measurements.back().time->median_ns = 5.0;
  recording.measurements[2].time.reset();
  EXPECT_THAT(RecordedSpace(recording).times_ns(), ElementsAre(4.0, 5.0));
}

TEST(RecordedSpaceTest, OfAPartialRecordingWithConstraintsTheSpaceIsItsRows) {
  model::Recording recording = recording_of({4.0, 2.0, 3.0});
  recording.listed = false;
  recording.measurements.erase(recording.measurements.begin());
  EXPECT_EQ(recording.space().size(), 3U);
  EXPECT_EQ(RecordedSpace(recording).space().size(), 2U);
}

TEST(RecordedSpaceTest, RefusesARecordingWithoutATime) {
  const model::Recording recording = recording_of({kNan, kNan});
  EXPECT_THROW((void)RecordedSpace(recording), base::InputError);
}

TEST(RecordedSpaceTest, RefusesAConfigurationOutsideItsParameters) {
  model::Recording recording = recording_of({1.0, 2.0});
  recording.measurements[0].configuration[0].second = std::int64_t{9};
  EXPECT_THROW((void)RecordedSpace(recording), base::InputError);
}

TEST(SimulationTest, SumsCostsAndKeepsTheBest) {
  const model::Recording recording = recording_of({4.0, kNan, 1.0, 3.0});
  const Trace trace = simulate("exhaustive", RecordedSpace(recording), {});
  ASSERT_EQ(trace.points.size(), 4U);
  EXPECT_EQ(trace.strategy, "exhaustive");
  EXPECT_DOUBLE_EQ(trace.points[3].seconds.value(), 8.0);
  EXPECT_EQ(trace.points[1].objective_ns, std::nullopt);
  EXPECT_EQ(trace.points[1].best_ns, 4.0);
  EXPECT_EQ(trace.points[3].best_ns, 1.0);
  EXPECT_EQ(trace.best_after(2), 4.0);
  EXPECT_EQ(trace.best_after(100), 1.0);
  EXPECT_EQ(trace.best_after(0), kInfinity);
}

// A strategy that remembers what it is told.
class ListeningStrategy : public Strategy {
 public:
  std::vector<model::Configuration> ask(std::size_t) override {
    if (next_ == 2) return {};
    return {{next_++}};
  }
  void tell(const Observation& observation) override { told.push_back(observation); }
  std::vector<Observation> told;

 private:
  std::uint32_t next_ = 0;
};

TEST(SimulationTest, ADroppedConfigurationIsToldWithItsEstimateAndIsNoCandidate) {
  model::Recording recording = recording_of({4.0, 2.0});
  recording.measurements[1].status = model::Status::kDropped;
  const RecordedSpace recorded(recording);
  EXPECT_EQ(recorded.best_ns(), 4.0);
  ListeningStrategy strategy;
  const Trace trace = simulate(strategy, recorded, {});
  ASSERT_EQ(strategy.told.size(), 2U);
  EXPECT_EQ(strategy.told[1].status, model::Status::kDropped);
  EXPECT_EQ(strategy.told[1].objective, 2.0);
  EXPECT_EQ(trace.points[1].objective_ns, std::nullopt);
  EXPECT_EQ(trace.points[1].best_ns, 4.0);
}

TEST(SimulationTest, EndsWithItsBudget) {
  const model::Recording recording = recording_of(std::vector<double>(20, 1.0));
  const RecordedSpace recorded(recording);
  SimulationOptions options;
  options.budget.evaluations = 7;
  EXPECT_EQ(simulate("random", recorded, options).points.size(), 7U);
  options.budget = {std::nullopt, 5.0, 0};
  EXPECT_EQ(simulate("random", recorded, options).points.size(), 3U);
  options.budget = {std::nullopt, 5.0, 6};
  EXPECT_EQ(simulate("random", recorded, options).points.size(), 6U);
  options.budget = {};
  EXPECT_EQ(simulate("random", recorded, options).points.size(), 20U);
}

TEST(SimulationTest, RepeatsWithItsSeed) {
  const model::Recording recording = large_recording(300);
  const RecordedSpace recorded(recording);
  const auto objectives = [&](std::uint64_t seed) {
    SimulationOptions options;
    options.seed = seed;
    std::vector<std::optional<double>> values;
    for (const TracePoint& point : simulate("local_search", recorded, options).points) {
      values.push_back(point.objective_ns);
    }
    return values;
  };
  EXPECT_EQ(objectives(3), objectives(3));
  EXPECT_NE(objectives(3), objectives(4));
}

// A strategy that records how many evaluations are open.
class CountingStrategy : public Strategy {
 public:
  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    for (; asked.size() < count && next_ < 10; ++next_) asked.push_back({next_});
    open_ += asked.size();
    max_open = std::max(max_open, open_);
    return asked;
  }
  void tell(const Observation&) override { --open_; }
  std::size_t max_open = 0;

 private:
  std::uint32_t next_ = 0;
  std::size_t open_ = 0;
};

TEST(SimulationTest, KeepsSoManyEvaluationsPendingAndNeverMoreThanTheBudget) {
  const model::Recording recording = recording_of(std::vector<double>(10, 1.0));
  const RecordedSpace recorded(recording);
  SimulationOptions options;
  options.pending = 4;
  CountingStrategy strategy;
  EXPECT_EQ(simulate(strategy, recorded, options).points.size(), 10U);
  EXPECT_EQ(strategy.max_open, 4U);
  options.budget.evaluations = 3;
  CountingStrategy budgeted;
  EXPECT_EQ(simulate(budgeted, recorded, options).points.size(), 3U);
  EXPECT_EQ(budgeted.max_open, 3U);
  options.pending = 0;
  EXPECT_THROW(simulate("random", recorded, options), base::InputError);
}

class RepeatingStrategy : public Strategy {
 public:
  std::vector<model::Configuration> ask(std::size_t) override { return {{0}}; }
  void tell(const Observation&) override {}
};

TEST(SimulationTest, CatchesAStrategyThatAsksTwice) {
  const model::Recording recording = recording_of({1.0, 2.0});
  const RecordedSpace recorded(recording);
  RepeatingStrategy strategy;
  EXPECT_THROW(simulate(strategy, recorded, {}), base::InternalError);
}

TEST(RunFiguresTest, CountEvaluationsAndSecondsToAMargin) {
  const model::Recording recording = recording_of({100.0, 104.0, 150.0, 200.0});
  const RecordedSpace recorded(recording);
  const std::vector<Trace> runs = {trace_of({200.0, 104.0, 100.0}), trace_of({150.0, 200.0, 104.0}),
                                   trace_of({kNan, 150.0})};
  const Reached five = evaluations_to(recorded, runs, 0.05).value();
  EXPECT_DOUBLE_EQ(five.median, 3.0);
  EXPECT_DOUBLE_EQ(five.lower_quartile, 2.5);
  EXPECT_EQ(five.upper_quartile, kInfinity);
  EXPECT_DOUBLE_EQ(five.share, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(seconds_to(recorded, runs, 0.05).value().median, 6.0);
  EXPECT_EQ(evaluations_to(recorded, runs, 0.01).value().median, kInfinity);
  EXPECT_DOUBLE_EQ(evaluations_to(recorded, runs, 0.01).value().share, 1.0 / 3.0);
}

TEST(RunFiguresTest, SlowDownIsAGeometricMeanAndNothingFoundCountsAsTheWorst) {
  const model::Recording recording = recording_of({100.0, 200.0, 400.0});
  const RecordedSpace recorded(recording);
  const std::vector<Trace> runs = {trace_of({200.0, 100.0}), trace_of({kNan, kNan, 100.0})};
  EXPECT_DOUBLE_EQ(at_budget(recorded, runs, 1).slow_down, std::sqrt(2.0 * 4.0));
  EXPECT_DOUBLE_EQ(at_budget(recorded, runs, 2).slow_down, 2.0);
  EXPECT_DOUBLE_EQ(at_budget(recorded, runs, 2).within_share, 0.5);
  EXPECT_DOUBLE_EQ(at_budget(recorded, runs, 50).slow_down, 1.0);
}

TEST(RunFiguresTest, QuantilesAreLinearBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0, 3.0, 2.0}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({7.0}, 0.9), 7.0);
  EXPECT_EQ(quantile({1.0, kInfinity, kInfinity}, 0.75), kInfinity);
}

TEST(CurveFitsTest, DecreasingRegressionPoolsViolatorsAndAveragesTies) {
  const std::vector<double> x = {1, 2, 2, 3, 4, 5};
  const std::vector<double> y = {5, 1, 3, 4, 1, 9};
  const std::vector<double> weights = {1, 1, 1, 1, 1, 0};
  const Curve curve = decreasing_regression(x, y, weights);
  EXPECT_THAT(curve.x, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(curve.y, Pointwise(::testing::DoubleEq(), std::vector<double>{5, 8.0 / 3, 8.0 / 3, 1}));
  EXPECT_DOUBLE_EQ(curve.at(0.0), 5.0);
  EXPECT_DOUBLE_EQ(curve.at(9.0), 1.0);
  EXPECT_DOUBLE_EQ(curve.at(3.5), (8.0 / 3 + 1.0) / 2);
}

TEST(CurveFitsTest, MonotoneCubicGivesSciPysValuesAndStaysMonotone) {
  // scipy.interpolate.PchipInterpolator([0, 1, 2, 4], [0, 1, 1.5, 8])([0.5, 1.5, 3.0])
  const std::vector<double> x = {0, 1, 2, 4};
  const std::vector<double> y = {0, 1, 1.5, 8};
  EXPECT_THAT(monotone_cubic(x, y, std::vector<double>{0.0, 0.5, 1.5, 3.0, 4.0}),
              Pointwise(DoubleNear(1e-9), std::vector<double>{0.0, 0.5729166666666667, 1.233162100456621,
                                                              3.679509132420092, 8.000000000000002}));
  EXPECT_THAT(monotone_cubic(std::vector<double>{1, 3}, std::vector<double>{2, 6}, std::vector<double>{2}),
              ElementsAre(4.0));
}

TEST(AggregateScoreTest, TheCutOffFollowsItsFormula) {
  std::vector<double> times_ns;
  for (int i = 0; i <= 100; ++i) times_ns.push_back(100.0 + i);
  const model::Recording recording = recording_of(times_ns);
  const RecordedSpace recorded(recording);
  // The median is 150. At 0.95 the limit is 102.5. Three times reach it and 98 do not: ceil(98 / 4).
  EXPECT_EQ(cut_off(recorded, 0.95).evaluations, 25U);
  EXPECT_DOUBLE_EQ(cut_off(recorded, 0.95).seconds, 50.0);
  // At 0.01 the limit is 149.5. 50 times reach it and 51 do not: ceil(51 / 51).
  EXPECT_EQ(cut_off(recorded, 0.01).evaluations, 1U);
  const std::vector<double> times_s = scored_times_s(recorded);
  EXPECT_EQ(times_s.size(), kScoredTimes);
  EXPECT_DOUBLE_EQ(times_s.front(), 2.0);
  EXPECT_DOUBLE_EQ(times_s.back(), 50.0);
}

TEST(AggregateScoreTest, TheBaselineIsRandomSearchsExpectedOrderStatistic) {
  std::vector<double> times_ns;
  for (int i = 0; i <= 100; ++i) times_ns.push_back(100.0 + i);
  const model::Recording recording = recording_of(times_ns);
  const RecordedSpace recorded(recording);
  const std::vector<double> baseline = random_baseline_ns(recorded, scored_times_s(recorded));
  // After 1 evaluation: rank 102 / 2 = 51 from the worst (200), which is 149. After 25 evaluations:
  // rank 25 * 102 / 26 = 98.08, which is 102.
  EXPECT_DOUBLE_EQ(baseline.front(), 149.0);
  EXPECT_NEAR(baseline.back(), 102.0, 1e-9);
  for (std::size_t i = 1; i < baseline.size(); ++i) EXPECT_LE(baseline[i], baseline[i - 1] + 1e-9) << i;
}

TEST(AggregateScoreTest, RandomSearchScoresAboutZero) {
  const model::Recording recording = large_recording(3000);
  const RecordedSpace recorded(recording);
  EXPECT_NEAR(score(recorded, runs_of("random", recorded, 60)).mean.value(), 0.0, 0.12);
}

TEST(AggregateScoreTest, FindingTheOptimumAtOnceScoresOne) {
  const model::Recording recording = large_recording(3000);
  const RecordedSpace recorded(recording);
  const std::vector<Trace> runs(25, trace_of({recorded.best_ns(), 3000.0, kNan}));
  EXPECT_NEAR(score(recorded, runs).mean.value(), 1.0, 1e-9);
}

TEST(AggregateScoreTest, NeverPassingTheMedianScoresBelowRandomSearch) {
  const model::Recording recording = large_recording(3000);
  const RecordedSpace recorded(recording);
  const std::vector<Trace> runs(25, trace_of({recorded.median_ns(), recorded.median_ns()}));
  EXPECT_LT(score(recorded, runs).mean.value(), -1.0);
}

TEST(AggregateScoreTest, TheCurveIsHeldAfterTheMedianEndOfTheRuns) {
  const model::Recording recording = large_recording(500);
  const RecordedSpace recorded(recording);
  const double late_ns = recorded.times_ns()[100];
  // Two runs end after 4 s. The third continues and finds the best, which is not typical any more.
  std::vector<Trace> runs(2, trace_of({late_ns, late_ns}));
  runs.push_back(trace_of(std::vector<double>(60, late_ns)));
  runs.back().add(130.0, recorded.best_ns());
  const std::vector<double> curve =
      strategy_curve_ns(recorded, runs, std::vector<double>{2.0, 4.0, 10.0, 140.0});
  EXPECT_THAT(curve, ElementsAre(late_ns, late_ns, late_ns, late_ns));
}

TEST(AggregateScoreTest, RunsWithoutTimesOrResultsHaveNoScore) {
  const model::Recording recording = large_recording(500);
  const RecordedSpace recorded(recording);
  EXPECT_FALSE(score(recorded, std::vector<Trace>{trace_of({kNan, kNan})}).mean);
  EXPECT_FALSE(score(recorded, std::vector<Trace>{trace_of({1000.0, 1001.0}, kNan)}).mean);
}

TEST(AggregateScoreTest, ConstantTimesHaveNoScoreAndBreakNothing) {
  const model::Recording recording = recording_of(std::vector<double>(30, 5.0));
  const RecordedSpace recorded(recording);
  EXPECT_FALSE(score(recorded, runs_of("random", recorded, 5)).mean);
}

}  // namespace
}  // namespace warptune::search::scoring
