#include "tuner/session/configuration_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using testing::at;
using ::testing::ElementsAre;
using testing::failed;
using ::testing::IsEmpty;
using testing::x_of;

class ConfigurationRunnerTest : public testing::SessionTest {
 protected:
  db::Session session() const {
    db::Session session;
    session.workload = testing::line_plan(9).workload;
    session.strategy = "explain";
    return session;
  }
  std::vector<model::Measurement> measure(const std::string& budget,
                                          const std::vector<model::NamedValues>& configurations) {
    ConfigurationRunner runner(session(), Budget::parse(budget), evaluator_, store_, listener_,
                               cancellation_);
    std::vector<model::Measurement> rows = runner.measure(configurations);
    out_of_budget_ = runner.out_of_budget();
    id_ = runner.session_id();
    return rows;
  }

  bool out_of_budget_ = false;
  std::optional<std::int64_t> id_;
};

TEST_F(ConfigurationRunnerTest, StoresRowsWithTheirCountersInASessionOfTheirOwn) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::x_of(configuration) == 2
               ? testing::failed(configuration, model::Status::kWrongResult, "no")
               : testing::measured(configuration, 1000.0);
  };
  const std::vector<model::Measurement> rows =
      measure("all", {testing::at(3), testing::at(2), testing::at(7), testing::at(1), testing::at(5)});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(testing::x_of(rows[0].configuration), 3);
  EXPECT_EQ(rows[0].counters.at("x"), 3.0);
  EXPECT_EQ(rows[1].status, model::Status::kWrongResult);
  ASSERT_TRUE(id_);
  const std::vector<db::StoredMeasurement> stored = store_.session_measurements(*id_);
  ASSERT_EQ(stored.size(), 5U);
  EXPECT_EQ(store_.counters(stored[0].id).at("x"), 3.0);
  const std::optional<db::Session> kept = store_.session(*id_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->strategy, "explain");
  EXPECT_EQ(kept->budget, "all");
  EXPECT_GT(kept->finished_ms, 0);
  EXPECT_EQ(kept->environment.driver_version, 13000);
}

TEST_F(ConfigurationRunnerTest, WithoutARowThereIsNoSession) {
  EXPECT_THAT(measure("all", {}), IsEmpty());
  EXPECT_FALSE(id_);
  EXPECT_THAT(store_.sessions(), IsEmpty());
}

TEST_F(ConfigurationRunnerTest, StopsAtABudgetOfEvaluations) {
  EXPECT_EQ(measure("2", {testing::at(1), testing::at(2), testing::at(3)}).size(), 2U);
  EXPECT_TRUE(out_of_budget_);
  EXPECT_THAT(evaluator_.submitted, ElementsAre(1, 2));
}

TEST_F(ConfigurationRunnerTest, WhatEndsWithTheBudgetWasNotCutShort) {
  EXPECT_EQ(measure("3", {testing::at(1), testing::at(2), testing::at(3)}).size(), 3U);
  EXPECT_FALSE(out_of_budget_);
}

TEST_F(ConfigurationRunnerTest, StopsAtABudgetOfTime) {
  evaluator_.seconds_each = 1.0;
  evaluator_.begun = 1;
  const std::vector<model::Measurement> rows =
      measure("2s", {testing::at(1), testing::at(2), testing::at(3), testing::at(4), testing::at(5),
                     testing::at(6), testing::at(7), testing::at(8)});
  EXPECT_TRUE(out_of_budget_);
  EXPECT_GE(rows.size(), 2U);
  EXPECT_LE(rows.size(), 3U);
  EXPECT_EQ(store_.session_measurements(*id_).size(), rows.size());
}

TEST_F(ConfigurationRunnerTest, AnInterruptKeepsWhatIsFinishedAndLeavesTheSessionOpen) {
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    cancellation_.cancel();
    return testing::measured(configuration, 1000.0);
  };
  EXPECT_EQ(
      measure("all", {testing::at(1), testing::at(2), testing::at(3), testing::at(4), testing::at(5)}).size(),
      1U);
  EXPECT_EQ(store_.session(*id_)->finished_ms, 0);
}

}  // namespace
}  // namespace warptune::tuner::session
