#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "search/strategy.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TuningSessionResumeTest : public testing::SessionTest {
 protected:
  // Adds a session of the same kernel for other sizes, in which `x` was the best.
  void store_other_size(std::int64_t size, std::int64_t x) {
    const SessionPlan plan = testing::line_plan(50);
    db::Session session;
    session.workload = plan.workload;
    session.workload.problem = {{"N", size}};
    session.strategy = "random";
    const std::int64_t id = store_.begin_session(session);
    store_.add_measurement(id, testing::measured(testing::at(x), 10.0));
  }
};

TEST_F(TuningSessionResumeTest, ASecondSessionGoesOnWhereTheFirstEnded) {
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    const testing::TemporaryFolder folder;
    db::Store store(folder / "warptune.db");
    SessionPlan plan = testing::line_plan(30, "12");
    plan.strategy = strategy.name;
    std::set<std::int64_t> seen;
    std::uint64_t known = 0;
    for (const std::uint64_t expected : {12U, 12U, 6U, 0U}) {
      testing::FakeEvaluator evaluator;
      const SessionResult result = run_session(plan, evaluator, store, listener_, cancellation_);
      EXPECT_EQ(result.progress.known, known) << strategy.name;
      EXPECT_EQ(result.progress.evaluated, expected) << strategy.name;
      for (const std::int64_t x : evaluator.submitted)
        EXPECT_TRUE(seen.insert(x).second) << strategy.name << " repeats " << x;
      known += expected;
    }
    EXPECT_EQ(seen.size(), 30U) << strategy.name;
  }
}

TEST_F(TuningSessionResumeTest, ASessionWithNothingLeftStillGivesTheBest) {
  run(testing::line_plan(5));
  evaluator_.submitted.clear();
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_TRUE(result.exhausted);
  EXPECT_THAT(evaluator_.submitted, IsEmpty());
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
  EXPECT_EQ(testing::x_of(result.default_measurement->configuration), 5);
}

TEST_F(TuningSessionResumeTest, WhatWasOnlyReplayedIsMeasuredAndThenKnown) {
  SessionPlan replay = testing::line_plan(5);
  replay.replayed = true;
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::measured(configuration, 10.0);  // The recorded times are shorter.
  };
  EXPECT_EQ(run(replay).best->source, model::RowSource::kReplayed);
  evaluator_.submitted.clear();
  evaluator_.answer = testing::FakeEvaluator().answer;
  SessionPlan two = testing::line_plan(5, "2");
  const SessionResult measured = run(two);
  EXPECT_EQ(measured.progress.known, 0U);
  EXPECT_THAT(evaluator_.submitted, ElementsAre(5, 1));
  EXPECT_EQ(measured.best->source, model::RowSource::kMeasured);
  EXPECT_EQ(testing::x_of(measured.best->configuration), 1);
  const SessionResult rest = run(testing::line_plan(5));
  EXPECT_EQ(rest.progress.known, 2U);
  EXPECT_EQ(rest.progress.evaluated, 3U);
  EXPECT_EQ(run(replay).progress.evaluated, 0U);
}

TEST_F(TuningSessionResumeTest, FreshMeasuresEverythingAgainAndTheNewTimesCount) {
  run(testing::line_plan(5));
  evaluator_.submitted.clear();
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::measured(configuration, 2000.0 - static_cast<double>(testing::x_of(configuration)));
  };
  SessionPlan plan = testing::line_plan(5);
  plan.fresh = true;
  const SessionResult result = run(plan);
  EXPECT_THAT(evaluator_.submitted, SizeIs(5));
  EXPECT_EQ(result.progress.known, 0U);
  EXPECT_EQ(testing::x_of(result.best->configuration), 5);
}

TEST_F(TuningSessionResumeTest, FailuresAreKnownToo) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::failed(configuration, Status::kWrongResult, "off by one");
  };
  run(testing::line_plan(5, "3"));
  evaluator_.submitted.clear();
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(result.progress.known, 3U);
  EXPECT_THAT(evaluator_.submitted, SizeIs(2));
  EXPECT_EQ(result.progress.by_status.at(Status::kWrongResult), 2U);
}

TEST_F(TuningSessionResumeTest, DroppedOnesAreKnownToo) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::dropped(configuration, 3000.0);
  };
  run(testing::line_plan(5, "3"));
  evaluator_.submitted.clear();
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(result.progress.known, 3U);
  EXPECT_THAT(evaluator_.submitted, SizeIs(2));
  EXPECT_FALSE(result.best.has_value());
  EXPECT_EQ(result.default_measurement->status, Status::kDropped);
}

TEST_F(TuningSessionResumeTest, WhatWasTimedFromAnotherCacheStateIsNotKnown) {
  run(testing::line_plan(5));
  SessionPlan plan = testing::line_plan(5);
  plan.workload.cache = model::CacheState::kWarm;
  EXPECT_EQ(run(plan).progress.known, 0U);
}

TEST_F(TuningSessionResumeTest, TheBestOfEarlierSessionsIsTheFirstIncumbent) {
  run(testing::line_plan(10, "10"));
  evaluator_.incumbents.clear();
  run(testing::line_plan(10));
  EXPECT_THAT(evaluator_.incumbents, ::testing::Contains(1001.0));
}

TEST_F(TuningSessionResumeTest, AnInterruptedSessionIsContinued) {
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    if (evaluator_.submitted.size() >= 5) cancellation_.cancel();
    return testing::measured(configuration, 1000.0);
  };
  const SessionResult first = run(testing::line_plan(20));
  ASSERT_TRUE(first.interrupted);
  cancellation_.reset();
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::measured(configuration, 1000.0);
  };
  const SessionResult second = run(testing::line_plan(20));
  EXPECT_EQ(second.progress.known, first.progress.evaluated);
  EXPECT_EQ(second.progress.evaluated, 20U - first.progress.evaluated);
}

TEST_F(TuningSessionResumeTest, MeasurementsOfAnotherSourceAreNotKnown) {
  run(testing::line_plan(5));
  SessionPlan plan = testing::line_plan(5);
  plan.workload.kernel_hash = "fedcba9876543210";
  EXPECT_EQ(run(plan).progress.known, 0U);
}

TEST_F(TuningSessionResumeTest, WinnersOfOtherSizesComeRightAfterTheDefaultNearestFirst) {
  store_other_size(1 << 20, 40);
  store_other_size(2048, 7);
  SessionPlan plan = testing::line_plan(50, "5");
  evaluator_.ahead = 1;
  run(plan);
  ASSERT_THAT(evaluator_.submitted, SizeIs(5));
  EXPECT_THAT(std::vector<std::int64_t>(evaluator_.submitted.begin(), evaluator_.submitted.begin() + 3),
              ElementsAre(50, 7, 40));
}

TEST_F(TuningSessionResumeTest, AWinnerElsewhereThatTheSpaceLacksIsLeftOut) {
  store_other_size(2048, 7000);
  EXPECT_EQ(run(testing::line_plan(5)).progress.evaluated, 5U);
}

TEST_F(TuningSessionResumeTest, AStoredTimeThatIsNoneIsMeasuredAgain) {
  const SessionPlan plan = testing::line_plan(3);
  db::Session session;
  session.workload = plan.workload;
  const std::int64_t id = store_.begin_session(session);
  store_.add_measurement(id, testing::measured(testing::at(2), std::numeric_limits<double>::quiet_NaN()));
  const SessionResult result = run(plan);
  EXPECT_EQ(result.progress.known, 0U);
  EXPECT_EQ(result.progress.evaluated, 3U);
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
}

}  // namespace
}  // namespace warptune::tuner::session
