// What the search of a session knows and when it ends: transfer, goals, continuing a saved search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "search/strategy.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::int64_t kBest = 137;

// A valley with ripples.
double valley_ns(std::int64_t x) {
  const auto distance = static_cast<double>(std::abs(x - kBest));
  return 1000.0 + 10.0 * distance + 40.0 * static_cast<double>(x % 3);
}

class TuningSessionSearchTest : public testing::SessionTest {
 protected:
  TuningSessionSearchTest() {
    evaluator_.ahead = 1;
    evaluator_.answer = [](const model::NamedValues& configuration) {
      return testing::measured(configuration, valley_ns(testing::x_of(configuration)));
    };
  }

  static SessionPlan plan_of(const std::string& strategy, const std::string& budget) {
    SessionPlan plan = testing::line_plan(300, budget);
    plan.strategy = strategy;
    return plan;
  }

  // The values of X, in the order in which they were asked for.
  std::vector<std::int64_t> asked_in(const SessionPlan& plan, db::Store& store) {
    testing::FakeEvaluator evaluator;
    evaluator.ahead = 1;
    evaluator.answer = evaluator_.answer;
    evaluator.seconds_each = 1.0;
    result_ = run_session(plan, evaluator, store, listener_, cancellation_);
    return evaluator.submitted;
  }
  std::vector<std::int64_t> asked_in(const SessionPlan& plan) { return asked_in(plan, store_); }

  // A session for the workload that `move` changes to. Its times for X = 1, 1 + step, ... are `time_ns` of X.
  std::int64_t store_elsewhere(const std::function<void(model::Workload&)>& move, std::int64_t step,
                               double (*time_ns)(std::int64_t),
                               model::RowSource source = model::RowSource::kMeasured) {
    const SessionPlan plan = plan_of("random", "10");
    db::Session session;
    session.workload = plan.workload;
    move(session.workload);
    session.strategy = plan.strategy;
    session.source = source;
    const std::int64_t id = store_.begin_session(session);
    for (std::int64_t x = 1; x <= 300; x += step) {
      model::Measurement row = testing::measured(testing::at(x), time_ns(x));
      row.source = source;
      store_.add_measurement(id, row);
    }
    return id;
  }
  // On another GPU: with the same compute capability, with another minor one (2), with another major one (3).
  std::int64_t store_other_gpu(int farness, std::int64_t step, double (*time_ns)(std::int64_t)) {
    return store_elsewhere(
        [farness](model::Workload& workload) {
          workload.gpu.sm_count -= farness;
          if (farness == 2) ++workload.gpu.compute_minor;
          if (farness == 3) --workload.gpu.compute_major;
        },
        step, time_ns);
  }
  std::int64_t store_other_size(std::int64_t size, std::int64_t step, double (*time_ns)(std::int64_t)) {
    return store_elsewhere(
        [size](model::Workload& workload) {
          workload.problem = {{"N", size}};
        },
        step, time_ns);
  }

  SessionResult result_;
};

class TransferTest : public TuningSessionSearchTest {};

TEST_F(TransferTest, ASecondGpuBeginsAtTheBestOfTheFirst) {
  store_other_gpu(1, 4, valley_ns);
  SessionPlan plan = plan_of("random", "6");
  const std::vector<std::int64_t> with = asked_in(plan);
  EXPECT_THAT(std::vector<std::int64_t>(with.begin(), with.begin() + 4), ElementsAre(300, 141, 133, 137));
  ASSERT_TRUE(result_.source.has_value());
  EXPECT_EQ(result_.source->rows, 75U);
  EXPECT_EQ(result_.source->workload.gpu.sm_count, model::fictional_gpu().sm_count - 1);
  plan.workload.problem = {{"N", std::int64_t{4096}}};
  plan.transfer = false;
  EXPECT_THAT(asked_in(plan), AllOf(SizeIs(6), Not(Contains(141))));
  EXPECT_FALSE(result_.source.has_value());
}

TEST_F(TransferTest, OfAnotherSizeTheBestComesFirstButTheModelIsNotBuiltOnIt) {
  store_other_size(2048, 4, valley_ns);
  const std::vector<std::int64_t> asked = asked_in(plan_of("random", "4"));
  EXPECT_THAT(asked, ElementsAre(300, 141, Not(133), Not(137)));
  EXPECT_FALSE(result_.source.has_value());
}

TEST_F(TransferTest, FreshMeasuresAgainAndStillLearnsFromElsewhere) {
  store_other_gpu(1, 4, valley_ns);
  SessionPlan plan = plan_of("random", "3");
  plan.fresh = true;
  EXPECT_THAT(asked_in(plan), ElementsAre(300, 141, 133));
}

TEST_F(TransferTest, TheNearestGpuWithEnoughRowsIsTheSource) {
  store_other_gpu(1, 100, [](std::int64_t x) { return 1000.0 + static_cast<double>(x); });
  store_other_gpu(2, 4, valley_ns);
  store_other_gpu(3, 4, [](std::int64_t x) { return 1000.0 - static_cast<double>(x); });
  EXPECT_THAT(asked_in(plan_of("random", "6")), ElementsAre(300, 1, 141, 297, 133, 137));
  EXPECT_EQ(result_.source->workload.gpu.sm_count, model::fictional_gpu().sm_count - 2);
}

TEST_F(TransferTest, ImportedRowsAreASourceOnlyWithoutOthers) {
  const auto import = [&](std::int64_t step, double (*time_ns)(std::int64_t)) {
    store_elsewhere([](model::Workload& workload) { --workload.gpu.sm_count; }, step, time_ns,
                    model::RowSource::kImported);
  };
  import(10, [](std::int64_t x) { return 10.0 + static_cast<double>(x);
});
SessionPlan plan = plan_of("random", "4");
plan.fresh = true;
EXPECT_THAT(asked_in(plan), ElementsAre(300, 1, 11, 21));
EXPECT_EQ(result_.source->rows, 30U);
store_other_gpu(1, 4, valley_ns);
EXPECT_THAT(asked_in(plan), ElementsAre(300, 141, 133, 137));
EXPECT_EQ(result_.source->rows, 75U);
}  // namespace

TEST_F(TransferTest, TheBestOfOtherSizesComeFirstNearestFirst) {
  for (std::int64_t doublings = 10; doublings >= 1; --doublings) {
    const std::int64_t id = store_other_size(std::int64_t{4096} << doublings, 300, valley_ns);
    store_.add_measurement(id, testing::measured(testing::at(10 + doublings), 1.0));
  }
  const std::vector<std::int64_t> asked = asked_in(plan_of("exhaustive", "10"));
  EXPECT_THAT(asked, ElementsAre(300, 11, 12, 13, 14, 15, 16, 17, 18, 1));
}

TEST_F(TransferTest, AtMostElevenEvaluationsComeFromElsewhere) {
  for (std::int64_t size = 2048; size <= 1 << 20; size *= 2) {
    const std::int64_t id =
        store_elsewhere([size](model::Workload& workload) { workload.gpu.l2_bytes = size; }, 3,
                        [](std::int64_t x) { return 5000.0 - static_cast<double>(x); });
    // The choice of each session is not its fastest row.
    const std::int64_t chosen =
        store_.add_measurement(id, testing::measured(testing::at(2 * (size % 97)), 4702.5));
    store_.set_preferred(chosen);
  }
  const std::vector<std::int64_t> asked = asked_in(plan_of("exhaustive", "18"));
  EXPECT_EQ(std::count_if(asked.begin(), asked.end(), [](std::int64_t x) { return x > 6; }), 1 + 11);
}

TEST_F(TransferTest, AMisleadingSourceIsNotFollowed) {
  const auto within_a_per_cent = [&](const SessionPlan& plan) {
    const std::vector<std::int64_t> asked = asked_in(plan);
    const auto found = std::find_if(asked.begin(), asked.end(), [](std::int64_t x) {
      return valley_ns(x) <= 1.01 * valley_ns(kBest - kBest % 3);
    });
    return found - asked.begin() + 1;
  };
  SessionPlan plan = plan_of("surrogate", "80");
  const auto without = within_a_per_cent(plan);
  ASSERT_LE(without, 70);
  store_other_gpu(1, 1, [](std::int64_t x) { return 5000.0 - valley_ns(x); });
  plan.fresh = true;
  const auto misled = within_a_per_cent(plan);
  EXPECT_TRUE(result_.source.has_value());
  EXPECT_LE(misled, without + 10);
}

class SessionGoalTest : public TuningSessionSearchTest {};

TEST_F(SessionGoalTest, ASessionEndsOnceTheBestReachesItsShareOfTheRoof) {
  SessionPlan plan = plan_of("exhaustive", "all");
  plan.work.bytes = 4.2e6;  // 1000 ns at the fake's 4.2 TB/s.
  plan.goal = Goal::parse("0.6roof");
  asked_in(plan);
  EXPECT_TRUE(result_.goal_reached);
  EXPECT_LE(valley_ns(testing::x_of(result_.best->configuration)), 1000.0 / 0.6);
  EXPECT_THAT(result_.progress.evaluated, AllOf(Gt(60U), Lt(100U)));
  EXPECT_EQ(store_.session(result_.session_id)->budget, "all, until 0.6roof");
  const std::uint64_t before = result_.progress.evaluated;
  asked_in(plan);  // The goal is already reached.
  EXPECT_TRUE(result_.goal_reached);
  EXPECT_LE(result_.progress.evaluated, 1U);
  EXPECT_EQ(result_.progress.known, before);
  plan.goal = Goal::parse("1.5roof");
  asked_in(plan);
  EXPECT_FALSE(result_.goal_reached);
  EXPECT_TRUE(result_.exhausted);
}

TEST_F(SessionGoalTest, ARoofThatIsNotKnownIsBadInputAndLeavesNoSession) {
  SessionPlan plan = plan_of("exhaustive", "all");
  plan.goal = Goal::parse("0.9roof");
  EXPECT_THROW(asked_in(plan), base::InputError);
  EXPECT_THAT(store_.sessions(), IsEmpty());
}

TEST_F(SessionGoalTest, ASessionEndsOnceItsModelExpectsLittleMore) {
  for (const char* budget : {"250", "250s"}) {
    SessionPlan plan = plan_of("surrogate", budget);
    plan.workload.problem = {{"N", std::string(budget)}};
    plan.goal = Goal::parse("5%");
    asked_in(plan);
    EXPECT_TRUE(result_.goal_reached) << budget;
    EXPECT_GE(result_.progress.evaluated, 80U) << budget;
    EXPECT_LT(result_.progress.evaluated, 250U) << budget;
    ASSERT_TRUE(result_.expected_gain.has_value()) << budget;
    EXPECT_LE(result_.expected_gain->share, 0.05) << budget;
  }
}

TEST_F(SessionGoalTest, AGoalBelowOnePerCentNeedsMoreEvaluationsWithoutANewBest) {
  const auto evaluated_with = [&](const std::string& goal) {
    SessionPlan plan = plan_of("surrogate", "280s");
    plan.workload.problem = {{"N", goal}};
    plan.goal = Goal::parse(goal);
    asked_in(plan);
    EXPECT_TRUE(result_.goal_reached) << goal;
    return result_.progress.evaluated;
  };
  const std::uint64_t coarse = evaluated_with("1%");
  EXPECT_GE(evaluated_with("0.9%"), coarse + 40);
}

TEST_F(SessionGoalTest, WhatMoreMayGainIsOfAMinuteOrOfFiftyEvaluations) {
  asked_in(plan_of("surrogate", "30s"));
  ASSERT_TRUE(result_.expected_gain.has_value());
  EXPECT_EQ(result_.expected_gain->seconds, 60.0);
  EXPECT_EQ(result_.expected_gain->evaluations, 60U);
  EXPECT_THAT(result_.expected_gain->share, AllOf(Gt(0.0), Lt(1.0)));
  asked_in(plan_of("surrogate", "30"));
  ASSERT_TRUE(result_.expected_gain.has_value());
  EXPECT_FALSE(result_.expected_gain->seconds.has_value());
  EXPECT_EQ(result_.expected_gain->evaluations, 50U);
}

TEST_F(SessionGoalTest, AStrategyWithoutAModelUsesItsBudget) {
  SessionPlan plan = plan_of("random", "40");
  plan.goal = Goal::parse("50%");
  EXPECT_THAT(asked_in(plan), SizeIs(40));
  EXPECT_FALSE(result_.goal_reached);
  EXPECT_FALSE(result_.expected_gain.has_value());
}

TEST_F(SessionGoalTest, NothingIsToBeGainedFromASpaceThatIsUsedUp) {
  SessionPlan plan = testing::line_plan(30, "30");
  plan.strategy = "surrogate";
  asked_in(plan);
  EXPECT_FALSE(result_.expected_gain.has_value());
}

class SavedSearchTest : public TuningSessionSearchTest {};

TEST_F(SavedSearchTest, TwoSessionsAskForWhatOneWouldHave) {
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    SessionPlan plan = plan_of(std::string(strategy.name), "40s");
    const testing::TemporaryFolder folder;
    db::Store other(folder / "warptune.db");
    const std::vector<std::int64_t> whole = asked_in(plan, other);
    EXPECT_FALSE(result_.continued);
    plan.budget = Budget::parse("20s");
    db::Store resumed(folder / "resumed.db");
    std::vector<std::int64_t> parts = asked_in(plan, resumed);
    EXPECT_THAT(parts, SizeIs(20)) << strategy.name;
    const std::vector<std::int64_t> second = asked_in(plan, resumed);
    EXPECT_TRUE(result_.continued) << strategy.name;
    parts.insert(parts.end(), second.begin(), second.end());
    EXPECT_THAT(parts, ElementsAreArray(whole)) << strategy.name;
  }
}

TEST_F(SavedSearchTest, CountedBudgetsAddUpToo) {
  SessionPlan plan = plan_of("local_search", "40");
  const testing::TemporaryFolder folder;
  db::Store other(folder / "warptune.db");
  const std::vector<std::int64_t> whole = asked_in(plan, other);
  plan.budget = Budget::parse("20");
  std::vector<std::int64_t> parts = asked_in(plan);
  const std::vector<std::int64_t> second = asked_in(plan);
  parts.insert(parts.end(), second.begin(), second.end());
  EXPECT_THAT(parts, ElementsAreArray(whole));
}

TEST_F(SavedSearchTest, WhatWasAskedForWhenASessionWasInterruptedComesFirst) {
  evaluator_.ahead = 4;
  const auto answer = evaluator_.answer;
  evaluator_.answer = [&](const model::NamedValues& configuration) {
    if (evaluator_.submitted.size() >= 12) cancellation_.cancel();
    return answer(configuration);
  };
  const SessionPlan plan = plan_of("local_search", "60");
  const SessionResult first = run(plan);
  ASSERT_TRUE(first.interrupted);
  cancellation_.reset();
  std::vector<std::int64_t> open;
  const std::vector<std::int64_t> evaluated = rows_of(first);
  for (const std::int64_t x : evaluator_.submitted) {
    if (std::find(evaluated.begin(), evaluated.end(), x) == evaluated.end()) open.push_back(x);
  }
  ASSERT_THAT(open, Not(IsEmpty()));
  evaluator_.answer = answer;
  const std::vector<std::int64_t> second = asked_in(plan);
  EXPECT_TRUE(result_.continued);
  EXPECT_THAT(
      std::vector<std::int64_t>(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(open.size())),
      ElementsAreArray(open));
  EXPECT_THAT(second, SizeIs(60));
  EXPECT_EQ(std::set<std::int64_t>(second.begin(), second.end()).size(), 60U);
}

TEST_F(SavedSearchTest, WhatOthersMeasuredInTheMeantimeIsToldAndNotRepeated) {
  asked_in(plan_of("local_search", "20"));
  const std::vector<std::int64_t> others = asked_in(plan_of("random", "200"));
  EXPECT_FALSE(result_.continued);
  const std::vector<std::int64_t> second = asked_in(plan_of("local_search", "all"));
  EXPECT_EQ(second.size(), 80U);
  for (const std::int64_t x : second) EXPECT_THAT(others, Not(Contains(x)));
}

TEST_F(SavedSearchTest, GoesOnOnlyWhereItIsTheSameSearchOfTheSameMeasurements) {
  const SessionPlan plan = plan_of("local_search", "10");
  const auto continued = [&](SessionPlan other) {
    asked_in(other);
    return result_.continued;
  };
  EXPECT_FALSE(continued(plan));
  EXPECT_TRUE(continued(plan));
  SessionPlan other = plan;
  other.seed = 2;
  EXPECT_FALSE(continued(other));
  other = plan;
  other.strategy = "random";
  EXPECT_FALSE(continued(other));
  other = plan;
  other.objective = model::Objective::parse("registers");
  EXPECT_FALSE(continued(other));
  EXPECT_TRUE(continued(plan));
  other = plan;
  other.fresh = true;
  EXPECT_FALSE(continued(other));
  EXPECT_TRUE(continued(plan));  // The search of the fresh session.
  other.strategy = "exhaustive";
  other.budget = Budget::parse("all");
  EXPECT_FALSE(continued(other));  // It measures everything again.
  EXPECT_FALSE(continued(plan));
}

TEST_F(SavedSearchTest, ADamagedOneIsPassedOver) {
  const SessionPlan plan = plan_of("local_search", "10");
  asked_in(plan);
  store_.set_search_state(result_.session_id, "warptune strategy log 1\nstrategy local_search\n");
  EXPECT_THAT(asked_in(plan), SizeIs(10));
  EXPECT_FALSE(result_.continued);
  EXPECT_EQ(result_.progress.known, 10U);
}

TEST_F(SavedSearchTest, ALongOneIsNotKept) {
  SessionPlan plan = testing::line_plan(600, "490");
  asked_in(plan);
  EXPECT_TRUE(store_.search_state(plan.workload, plan.strategy, plan.seed, "time").has_value());
  plan.budget = Budget::parse("20");
  asked_in(plan);
  EXPECT_TRUE(result_.continued);
  EXPECT_FALSE(store_.search_state(plan.workload, plan.strategy, plan.seed, "time").has_value());
}

TEST_F(TuningSessionSearchTest, LetsAStrategyThatLearnsKnowMostOfABudgetBeforeItAsksForTheRest) {
  const auto max_pending = [&](const std::string& strategy) {
    testing::FakeEvaluator evaluator;
    evaluator.ahead = 40;
    evaluator.answer = evaluator_.answer;
    std::size_t maximum = 0;
    evaluator.on_submit = [&](const evaluation::Candidate&) {
      maximum = std::max(maximum, evaluator.pending() + 1);
    };
    SessionPlan plan = plan_of(strategy, "96");
    plan.fresh = true;
    run_session(plan, evaluator, store_, listener_, cancellation_);
    EXPECT_EQ(evaluator.submitted.size(), 96U) << strategy;
    return maximum;
  };
  EXPECT_EQ(max_pending("surrogate"), 6U);
  EXPECT_EQ(max_pending("random"), 40U);
}

}  // namespace warptune::tuner::session
}  // namespace warptune::tuner::session
