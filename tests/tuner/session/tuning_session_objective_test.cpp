#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

// The energy in the search and in the final rounds, by X. Configurations 3 to 8 are within 5 % of the first.
class EnergyFinalsTest : public TuningSessionObjectiveTest {
 protected:
  EnergyFinalsTest() {
    evaluator_.again = true;
    evaluator_.count = [](const model::NamedValues&) -> model::Counters { return {}; };
    evaluator_.answer = [this](const model::NamedValues& configuration) {
      const std::int64_t x = testing::x_of(configuration);
      const bool is_first = evaluated_.insert(x).second;
      model::Measurement measurement = testing::measured(configuration, 1000.0);
      const double searched = x < 3 || x > 8 ? 2.0 : 1.0 + 0.001 * static_cast<double>(x);
      measurement.counters["energy_j"] = is_first ? searched : again_.at(x).at(round_[x]++ % 3);
      measurement.counters["power_w"] = is_first ? 500.0 : 600.0;
      if (!is_first && x == wrong_)
        measurement = testing::failed(configuration, Status::kWrongResult, "race");
      return measurement;
    };
  }

  std::map<std::int64_t, std::vector<double>> again_;
  std::optional<std::int64_t> wrong_;
  std::map<std::int64_t, std::size_t> round_;
  std::set<std::int64_t> evaluated_;
};

TEST_F(EnergyFinalsTest, TheBestFewAreMeasuredAgainAndTheMedianOfTheRoundsDecides) {
  again_ = {{3, {1.02, 1.5, 1.01}}, {4, {1.0, 0.9, 0.99}}, {5, {1.1, 1.1, 1.1}}, {6, {1.2, 0.1, 1.2}}};
  const SessionResult result = run(plan(10, "energy"));
  ASSERT_TRUE(result.best.has_value());
  EXPECT_EQ(testing::x_of(result.best->configuration), 4);
  EXPECT_EQ(result.best_value, 0.99);
  EXPECT_EQ(result.best->counters.at("energy_j"), 0.99);
  EXPECT_EQ(result.best->counters.at("power_w"), 600.0);
  EXPECT_THAT(evaluator_.submitted, SizeIs(10 + 4 * 3)) << "four of the six that are near, in three rounds";
  EXPECT_THAT(rows_of(result), SizeIs(10)) << "the rounds make no rows of their own";
  ASSERT_THAT(listener_.finals, SizeIs(1));
  EXPECT_EQ(listener_.finals[0].finalists, 4U);
  EXPECT_EQ(listener_.finals[0].rounds, 3);
  const std::vector<std::int64_t> last(evaluator_.submitted.end() - 12, evaluator_.submitted.end());
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(std::set<std::int64_t>(last.begin() + 4 * round, last.begin() + 4 * (round + 1)),
                ::testing::ElementsAre(3, 4, 5, 6));
  }
}

TEST_F(EnergyFinalsTest, APassFollowsUntilTheFirstHasBeenMeasuredAgain) {
  for (std::int64_t x = 3; x <= 8; ++x) again_[x] = {x < 7 ? 1.3 : 1.0, x < 7 ? 1.3 : 1.0, x < 7 ? 1.3 : 1.0};
  const SessionResult result = run(plan(10, "energy"));
  EXPECT_THAT(listener_.finals, SizeIs(2));
  EXPECT_EQ(testing::x_of(result.best->configuration), 7);
  EXPECT_EQ(result.best_value, 1.0);
}

TEST_F(EnergyFinalsTest, AWrongOneIsRejected) {
  again_ = {{3, {0.5, 0.5, 0.5}}, {4, {1.0, 1.0, 1.0}}, {5, {1.1, 1.1, 1.1}}, {6, {1.2, 1.2, 1.2}}};
  wrong_ = 3;
  const SessionResult result = run(plan(10, "energy"));
  EXPECT_EQ(testing::x_of(result.best->configuration), 4);
  for (const db::StoredMeasurement& row : store_.session_measurements(result.session_id)) {
    if (testing::x_of(row.measurement.configuration) != 3) continue;
    EXPECT_EQ(row.measurement.status, Status::kWrongResult);
    EXPECT_EQ(row.measurement.reason, "right in the search, wrong in the finals: race");
  }
}

TEST_F(EnergyFinalsTest, ACancelledSessionKeepsWhatTheSearchMeasured) {
  again_ = {{3, {0.5}}, {4, {0.5}}, {5, {0.5}}, {6, {0.5}}};
  evaluator_.on_submit = [this](const evaluation::Candidate&) {
    if (evaluator_.submitted.size() >= 12) cancellation_.cancel();
  };
  const SessionResult result = run(plan(10, "energy"));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.best_value, 1.003);
}

TEST_F(EnergyFinalsTest, AReplayHasNone) {
  evaluator_.again = false;
  EXPECT_EQ(run(plan(10, "energy")).best_value, 1.003);
  EXPECT_THAT(listener_.finals, IsEmpty());
}

TEST_F(EnergyFinalsTest, ACounterThatIsNoEnergyHasNone) {
  evaluator_.count = [](const model::NamedValues& configuration) -> model::Counters {
    return {{"dram__bytes.sum", static_cast<double>(testing::x_of(configuration))}};
  };
  run(plan(10, "dram__bytes.sum"));
  EXPECT_THAT(listener_.finals, IsEmpty());
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
