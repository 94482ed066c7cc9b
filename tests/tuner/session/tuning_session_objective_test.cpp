#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "search/strategy.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The fake counts "x". Here it is the energy, which has its minimum at X = 7, while the time has its minimum
// at X = 1.
class TuningSessionObjectiveTest : public testing::SessionTest {
 protected:
  TuningSessionObjectiveTest() {
    evaluator_.count = [](const model::NamedValues& configuration) -> model::Counters {
      const double x = static_cast<double>(testing::x_of(configuration));
      return {{"energy_j", 1.0 + (x - 7.0) * (x - 7.0)}};
    };
  }
  static SessionPlan plan(std::int64_t size, const std::string& objective,
                          const std::string& strategy = "random") {
    SessionPlan plan = testing::line_plan(size);
    plan.objective = model::Objective::parse(objective);
    plan.strategy = strategy;
    plan.final_rounds = 9;
    return plan;
  }
};

TEST_F(TuningSessionObjectiveTest, TheBestIsByTheObjectiveHoweverLateItsCountersCome) {
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    for (const std::size_t later : {0U, 3U, 1000U}) {
      SessionPlan asked = plan(20, "energy", std::string(strategy.name));
      asked.fresh = true;
      evaluator_.counters_after = later;
      evaluator_.submitted.clear();
      const SessionResult result = run(asked);
      EXPECT_EQ(testing::x_of(result.best->configuration), 7) << strategy.name << later;
      EXPECT_EQ(result.best_value, 1.0);
      EXPECT_EQ(result.unrated, 0U);
      EXPECT_TRUE(result.exhausted);
      const std::set<std::int64_t> distinct(evaluator_.submitted.begin(), evaluator_.submitted.end());
      EXPECT_THAT(distinct, SizeIs(20)) << strategy.name << later;
      EXPECT_THAT(evaluator_.submitted, SizeIs(20)) << strategy.name << later;
    }
  }
}

TEST_F(TuningSessionObjectiveTest, TheIncumbentIsOfTheTimeOnlyAndFinalsAreOnlyForIt) {
  run(plan(10, "energy"));
  EXPECT_THAT(evaluator_.incumbents, IsEmpty());
  EXPECT_THAT(evaluator_.final_rounds, IsEmpty());
  EXPECT_EQ(store_.sessions().at(0).objective, "energy");
}

TEST_F(TuningSessionObjectiveTest, TheBestIsConfirmedWhateverTheObjective) {
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    if (testing::x_of(configuration) == 7)
      confirmation.verdict = {Status::kWrongResult, "wrong in one of many"};
    return confirmation;
  };
  const SessionResult result = run(plan(10, "energy"));
  ASSERT_TRUE(result.best.has_value());
  EXPECT_NE(testing::x_of(result.best->configuration), 7);
  EXPECT_EQ(result.best_value, 2.0);
  EXPECT_EQ(result.best->counters.at("verified_launches"), 300.0);
  EXPECT_THAT(evaluator_.confirmed, SizeIs(2));
  EXPECT_THAT(evaluator_.final_rounds, IsEmpty());
}

TEST_F(TuningSessionObjectiveTest, AnObjectiveOfTimeAndResourcesNeedsNoCountersAndHasFinals) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    model::Measurement measurement = testing::measured(configuration, 1000.0 + static_cast<double>(x));
    measurement.resources.registers_per_thread = x < 4 ? 200 : 100;
    return measurement;
  };
  const SessionResult result = run(plan(10, "time * (1 + 0.1 * (registers > 128))"));
  EXPECT_EQ(testing::x_of(result.best->configuration), 4);
  EXPECT_THAT(evaluator_.final_rounds, SizeIs(1));
  EXPECT_THAT(evaluator_.incumbents, IsEmpty());
}

TEST_F(TuningSessionObjectiveTest, WhatItCannotRateIsToldCountedAndNeverBest) {
  evaluator_.count = [](const model::NamedValues& configuration) -> model::Counters {
    if (testing::x_of(configuration) != 3) return {};
    return {{"energy_j", 5.0}};
  };
  for (const char* strategy : {"random", "local_search"}) {
    SessionPlan asked = plan(6, "energy", strategy);
    asked.fresh = true;
    const SessionResult result = run(asked);
    EXPECT_EQ(result.unrated, 5U);
    EXPECT_EQ(testing::x_of(result.best->configuration), 3);
    EXPECT_EQ(result.progress.by_status.at(Status::kMeasured), 6U);
  }
}

TEST_F(TuningSessionObjectiveTest, CountersThatNeverComeLeaveNoBest) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::measured(configuration, 1000.0);
  };
  evaluator_.lose_counters = true;
  const SessionResult result = run(plan(6, "energy", "local_search"));
  EXPECT_EQ(result.unrated, 6U);
  EXPECT_EQ(result.progress.evaluated, 6U);
  EXPECT_FALSE(result.best.has_value());
}

TEST_F(TuningSessionObjectiveTest, WhatEarlierSessionsDidNotMeasureForItIsMeasuredAgain) {
  evaluator_.count = [](const model::NamedValues&) -> model::Counters { return {{"other", 1.0}}; };
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    if (x == 1) return testing::failed(configuration, Status::kCompileFailed, "no");
    if (x == 2) return testing::dropped(configuration, 5000.0);
    return testing::measured(configuration, 1000.0);
  };
  run(plan(5, "time"));
  evaluator_.submitted.clear();
  const SessionResult by_energy = run(plan(5, "energy"));
  EXPECT_EQ(by_energy.progress.known, 1U);  // The one that does not compile.
  EXPECT_THAT(evaluator_.submitted, SizeIs(4));
}

TEST_F(TuningSessionObjectiveTest, CountersThatCameWithTheMeasurementStayWhenMoreCome) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    model::Measurement measurement = testing::measured(configuration, 1000.0);
    measurement.counters["power_w"] = 400.0;
    return measurement;
  };
  const SessionResult result = run(plan(3, "energy,power"));
  EXPECT_EQ(result.best->counters.at("power_w"), 400.0);
  EXPECT_EQ(result.best->counters.count("energy_j"), 1U);
  EXPECT_EQ(result.best_value, 400.0 * result.best->counters.at("energy_j"));
}

}  // namespace
}  // namespace warptune::tuner::session
