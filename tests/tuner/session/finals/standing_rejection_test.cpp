// What the end of a session rejected stays rejected when other commands measure it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/confirmation.h"
#include "tests/tuner/fake_evaluator.h"
#include "tuner/session/configuration_runner.h"

namespace warptune::tuner::session::finals {
namespace {

using model::Status;
using ::testing::Contains;
using testing::x_of;

class StandingRejectionTest : public testing::SessionTest {
 protected:
  static SessionPlan plan() {
    SessionPlan plan = testing::line_plan(5);
    plan.final_rounds = 3;
    return plan;
  }
  static profiling::timing::Confirmation confirmation_of(bool is_right) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = is_right ? 300 : 40;
    if (!is_right) confirmation.verdict = {Status::kWrongResult, "wrong when it was confirmed"};
    return confirmation;
  }
  // Tunes. X = 1, the fastest, fails in its confirmation.
  void tune_and_reject_the_first() {
    evaluator_.confirmation = [](const model::NamedValues& configuration) {
      return confirmation_of(x_of(configuration) != 1);
    };
    EXPECT_EQ(x_of(run(plan()).best->configuration), 2);
    EXPECT_EQ(row_of(1).status, Status::kWrongResult);
  }
  model::Measurement measure_the_first() { return measure(1); }
  // Measures as `profile --set`, `explain` and `lab` do.
  model::Measurement measure(std::int64_t x) {
    db::Session session;
    session.workload = plan().workload;
    session.strategy = "profile";
    ConfigurationRunner runner(session, Budget::parse("all"), evaluator_, store_, listener_, cancellation_);
    return runner.measure({testing::at(x)}).at(0);
  }
  model::Measurement row_of(std::int64_t x) {
    return store_.latest_measurement(plan().workload, testing::at(x)).value().measurement;
  }
};

TEST_F(StandingRejectionTest, HoldsHoweverOftenTheConfigurationIsMeasuredAgain) {
  tune_and_reject_the_first();
  for (int i = 0; i < 3; ++i) {
    measure_the_first();
    EXPECT_EQ(row_of(1).status, Status::kWrongResult) << i;
    EXPECT_EQ(row_of(1).reason, "wrong when it was confirmed") << i;
    EXPECT_EQ(row_of(1).counters.at("x"), 1.0) << i;
  }
  const std::vector<db::Winner> winners = store_.winners(plan().workload.kernel, "");
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(x_of(winners.front().best.configuration), 2);
  EXPECT_THAT(listener_.warnings, Contains("X=1 stays rejected: wrong when it was confirmed"));
}

TEST_F(StandingRejectionTest, HoldsAfterAMeasurementThatFailed) {
  tune_and_reject_the_first();
  const auto usual = evaluator_.answer;
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return testing::failed(configuration, Status::kLaunchFailed, "no memory");
  };
  EXPECT_EQ(measure_the_first().reason, "no memory");
  evaluator_.answer = usual;
  measure_the_first();
  EXPECT_EQ(row_of(1).reason, "wrong when it was confirmed");
}

TEST_F(StandingRejectionTest, IsAlsoMadeByTheFinalRounds) {
  evaluator_.interleaved = [](const model::NamedValues&) { return std::vector<double>{1.0, 2.0, 3.0}; };
  evaluator_.fault_in_finals = [](const model::NamedValues& configuration) {
    return x_of(configuration) == 1 ? std::optional(model::Rejection{Status::kTimedOut, "it hangs"})
                                    : std::nullopt;
  };
  run(plan());
  measure_the_first();
  EXPECT_EQ(row_of(1).status, Status::kTimedOut);
}

// `explain` and `lab` once lost the confirmation of the best.
TEST_F(StandingRejectionTest, IsNotMadeOfAConfirmedRowWhichStaysConfirmedAndPreferred) {
  evaluator_.confirmation = [](const model::NamedValues&) { return confirmation_of(true); };
  evaluator_.interleaved = [](const model::NamedValues&) { return std::vector<double>{1.0, 2.0, 3.0}; };
  ASSERT_EQ(x_of(run(plan()).best->configuration), 5) << "all tie, and X = 5 is the default";
  measure(5);
  EXPECT_TRUE(db::is_confirmed(row_of(5)));
  EXPECT_EQ(row_of(5).counters.at("x"), 5.0);
  EXPECT_TRUE(store_.latest_measurement(plan().workload, testing::at(5))->preferred);
}

TEST_F(StandingRejectionTest, IsNotInWhatIsShown) {
  tune_and_reject_the_first();
  const model::Measurement shown = measure_the_first();
  EXPECT_EQ(shown.status, Status::kMeasured);
  EXPECT_FALSE(db::is_confirmed(shown));
  EXPECT_FALSE(shown.counters.contains("rejected_in_finals"));
}

TEST_F(StandingRejectionTest, EndsWhenAnotherSessionConfirmsTheCode) {
  tune_and_reject_the_first();
  measure_the_first();
  evaluator_.confirmation = [](const model::NamedValues&) { return confirmation_of(true); };
  SessionPlan fresh = plan();
  fresh.fresh = true;
  EXPECT_EQ(x_of(run(fresh).best->configuration), 1);
  EXPECT_TRUE(db::is_confirmed(row_of(1)));
  measure_the_first();
  EXPECT_EQ(row_of(1).status, Status::kMeasured);
}

}  // namespace
}  // namespace warptune::tuner::session::finals
