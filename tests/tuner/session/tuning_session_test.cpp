#include "tuner/session/tuning_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/error.h"
#include "search/strategy.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class TuningSessionTest : public testing::SessionTest {};

TEST_F(TuningSessionTest, ACountBudgetIsKeptExactlyThoughSeveralArePending) {
  for (const std::size_t ahead : {1U, 3U, 64U}) {
    SessionPlan plan = testing::line_plan(100, "10");
    plan.fresh = true;
    evaluator_.ahead = ahead;
    const SessionResult result = run(plan);
    EXPECT_EQ(result.progress.evaluated, 10U);
    EXPECT_THAT(rows_of(result), SizeIs(10));
    EXPECT_FALSE(result.exhausted);
  }
}

TEST_F(TuningSessionTest, ATimeBudgetEndsWithWhatTheEvaluatorHasBegun) {
  evaluator_.seconds_each = 1.0;
  evaluator_.ahead = 8;
  evaluator_.begun = 2;
  const SessionResult result = run(testing::line_plan(100, "5s"));
  EXPECT_EQ(result.progress.evaluated, 5U + 2U);
  EXPECT_GT(evaluator_.dropped, 0U);
  EXPECT_THAT(rows_of(result), SizeIs(7));
  EXPECT_FALSE(result.interrupted);
}

TEST_F(TuningSessionTest, WithoutALimitTheWholeSpaceIsEvaluatedOnce) {
  const SessionResult result = run(testing::line_plan(20));
  EXPECT_TRUE(result.exhausted);
  const std::vector<std::int64_t> rows = rows_of(result);
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), 20U);
  EXPECT_THAT(rows, SizeIs(20));
  ASSERT_TRUE(result.best.has_value());
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
  EXPECT_GT(store_.session(result.session_id)->finished_ms, 0);
}

TEST_F(TuningSessionTest, ABudgetBeyondTheSpaceEndsWithTheSpace) {
  const SessionResult result = run(testing::line_plan(5, "1000"));
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.progress.evaluated, 5U);
}

TEST_F(TuningSessionTest, EveryStrategyEvaluatesTheDefaultFirstAndThenTheWholeSpaceOnce) {
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    SessionPlan plan = testing::line_plan(30);
    plan.strategy = strategy.name;
    plan.fresh = true;
    plan.default_configuration = testing::at(17);
    evaluator_.submitted.clear();
    run(plan);
    ASSERT_FALSE(evaluator_.submitted.empty());
    EXPECT_EQ(evaluator_.submitted.front(), 17) << strategy.name;
    const std::set<std::int64_t> distinct(evaluator_.submitted.begin(), evaluator_.submitted.end());
    EXPECT_EQ(distinct.size(), 30U) << strategy.name;
    EXPECT_THAT(evaluator_.submitted, SizeIs(30)) << strategy.name;
  }
}

TEST_F(TuningSessionTest, ADefaultOutsideTheSpaceIsLeftOut) {
  SessionPlan plan = testing::line_plan(5);
  plan.default_configuration = testing::at(99);
  const SessionResult result = run(plan);
  EXPECT_EQ(result.progress.evaluated, 5U);
  EXPECT_FALSE(result.default_measurement.has_value());
}

TEST_F(TuningSessionTest, WhatEndedIsInTheDatabaseBeforeTheNextIsSubmitted) {
  evaluator_.ahead = 1;
  const db::Store reader = db::Store::open_existing(folder_ / "warptune.db");
  std::vector<std::uint64_t> stored;
  evaluator_.on_submit = [&](const evaluation::Candidate&) {
    stored.push_back(reader.totals().measurements);
  };
  run(testing::line_plan(4));
  EXPECT_THAT(stored, ElementsAre(0, 1, 2, 3));
}

TEST_F(TuningSessionTest, FailuresAreStoredCountedAndNeverBest) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    if (x == 1) return testing::failed(configuration, Status::kCompileFailed, "no such thing\nline two");
    if (x == 2) return testing::failed(configuration, Status::kCompileFailed, "no such thing\nline 2");
    model::Measurement measurement = testing::measured(configuration, 100.0 + static_cast<double>(x));
    if (x == 3) measurement.status = Status::kDropped;
    return measurement;
  };
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 4);
  EXPECT_THAT(result.reasons, ElementsAre(Pair("compile_failed: no such thing", 2)));
  EXPECT_THAT(result.progress.by_status, ElementsAre(Pair(Status::kMeasured, 2), Pair(Status::kDropped, 1),
                                                     Pair(Status::kCompileFailed, 2)));
}

TEST_F(TuningSessionTest, DroppedOnesAreStoredCountedAndNeitherBestNorIncumbentNorFailures) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    return x == 5 ? testing::measured(configuration, 1000.0) : testing::dropped(configuration, 100.0);
  };
  for (const char* strategy : {"exhaustive", "random", "local_search"}) {
    SessionPlan plan = testing::line_plan(5);
    plan.strategy = strategy;
    plan.fresh = true;
    evaluator_.incumbents.clear();
    const SessionResult result = run(plan);
    EXPECT_EQ(testing::x_of(result.best->configuration), 5);
    EXPECT_THAT(evaluator_.incumbents, ElementsAre(1000.0));
    EXPECT_THAT(result.reasons, SizeIs(0));
    EXPECT_THAT(result.progress.by_status,
                ElementsAre(Pair(Status::kMeasured, 1), Pair(Status::kDropped, 4)));
    EXPECT_THAT(rows_of(result), SizeIs(5));
  }
}

TEST_F(TuningSessionTest, AllFailingLeavesNoBestAndEveryReason) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::failed(configuration, Status::kWorkerDied, "signal 11");
  };
  const SessionResult result = run(testing::line_plan(6));
  EXPECT_FALSE(result.best.has_value());
  EXPECT_TRUE(result.tied.empty());
  EXPECT_TRUE(evaluator_.incumbents.empty());
  for (const db::StoredMeasurement& row : store_.session_measurements(result.session_id))
    EXPECT_EQ(row.measurement.reason, "signal 11");
}

TEST_F(TuningSessionTest, ATimeThatIsNoneIsAFailureAndNeverRanked) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return testing::measured(configuration, x == 1   ? nan
                                            : x == 2 ? 0.0
                                            : x == 3 ? 1.0 / 0.0
                                                     : static_cast<double>(x));
  };
  const SessionResult result = run(testing::line_plan(6));
  ASSERT_TRUE(result.best.has_value());
  EXPECT_EQ(testing::x_of(result.best->configuration), 4);
  EXPECT_THAT(result.progress.by_status,
              ElementsAre(Pair(Status::kMeasured, 3), Pair(Status::kLaunchFailed, 3)));
}

TEST_F(TuningSessionTest, OnlyABetterTimeBecomesTheIncumbent) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    constexpr double kTimes[] = {0, 50, 70, 30, 30, 90};
    return testing::measured(configuration, kTimes[testing::x_of(configuration)]);
  };
  SessionPlan plan = testing::line_plan(5);
  plan.default_configuration = testing::at(1);
  run(plan);
  EXPECT_THAT(evaluator_.incumbents, ElementsAre(50.0, 30.0));
}

TEST_F(TuningSessionTest, AnInterruptKeepsWhatIsFinishedAndSkipsTheRest) {
  evaluator_.ahead = 4;
  evaluator_.begun = 1;
  SessionPlan plan = testing::line_plan(100);
  plan.final_rounds = 5;
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    if (evaluator_.submitted.size() >= 10) cancellation_.cancel();
    return testing::measured(configuration, 1000.0);
  };
  const SessionResult result = run(plan);
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.progress.evaluated, 15U);
  EXPECT_THAT(rows_of(result), SizeIs(result.progress.evaluated));
  EXPECT_TRUE(result.best.has_value());
  EXPECT_TRUE(evaluator_.final_rounds.empty());
  EXPECT_EQ(store_.session(result.session_id)->finished_ms, 0);
}

TEST_F(TuningSessionTest, AnInterruptAfterTheLastWasSubmittedStillDropsWhatWaits) {
  evaluator_.ahead = 64;
  evaluator_.begun = 1;
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    cancellation_.cancel();
    return testing::measured(configuration, 1000.0);
  };
  const SessionResult result = run(testing::line_plan(100, "40"));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.progress.evaluated, 2U);
}

TEST_F(TuningSessionTest, AnInterruptDuringTheLastEvaluationIsNoticed) {
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    if (testing::x_of(configuration) == 3) cancellation_.cancel();
    return testing::measured(configuration, 1000.0);
  };
  SessionPlan plan = testing::line_plan(3);
  plan.default_configuration = testing::at(1);
  plan.final_rounds = 5;
  evaluator_.ahead = 1;
  EXPECT_TRUE(run(plan).interrupted);
  EXPECT_TRUE(evaluator_.final_rounds.empty());
}

TEST_F(TuningSessionTest, CountersReachTheirOwnRowsHoweverLateTheyCome) {
  for (const std::size_t later : {0U, 3U, 1000U}) {
    evaluator_.counters_after = later;
    SessionPlan plan = testing::line_plan(10);
    plan.fresh = true;
    const SessionResult result = run(plan);
    for (const db::StoredMeasurement& row : store_.session_measurements(result.session_id)) {
      const double x = static_cast<double>(testing::x_of(row.measurement.configuration));
      EXPECT_THAT(row.measurement.counters, ElementsAre(Pair("x", x))) << later;
    }
  }
}

TEST_F(TuningSessionTest, WarningsReachTheObserver) {
  evaluator_.warnings = {"counters cannot be read"};
  run(testing::line_plan(3));
  EXPECT_THAT(listener_.warnings, ElementsAre("counters cannot be read"));
}

TEST_F(TuningSessionTest, TheShareGrowsToOne) {
  run(testing::line_plan(10, "4"));
  double before = 0.0;
  for (const SessionProgress& report : listener_.reports) {
    EXPECT_GE(report.fraction.value(), before);
    before = *report.fraction;
  }
  EXPECT_DOUBLE_EQ(before, 1.0);
}

TEST_F(TuningSessionTest, AnUnknownStrategyLeavesNoSession) {
  SessionPlan plan = testing::line_plan(3);
  plan.strategy = "exhaustiv";
  EXPECT_THROW(run(plan), base::InputError);
  EXPECT_EQ(store_.totals().sessions, 0U);
}

TEST_F(TuningSessionTest, AnEmptySpaceEndsAtOnce) {
  SessionPlan plan = testing::line_plan(3);
  plan.space = model::Space(plan.space.parameters(), {{model::Expression::parse("X > 3"), ""}});
  const SessionResult result = run(plan);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.progress.evaluated, 0U);
}

TEST_F(TuningSessionTest, RoofsMeasuredForTheSessionAreStoredOfItsGpu) {
  const SessionPlan plan = testing::line_plan(3);
  run(plan);
  EXPECT_THAT(store_.roofs(plan.workload.gpu), IsEmpty());
  evaluator_.measured_roofs = {{"read", 4.3e12, 0.01, 1980.0, 7, 13000}};
  run(plan);
  ASSERT_THAT(store_.roofs(plan.workload.gpu), SizeIs(1));
  EXPECT_EQ(store_.roofs(plan.workload.gpu).front().value, 4.3e12);
}

}  // namespace
}  // namespace warptune::tuner::session
