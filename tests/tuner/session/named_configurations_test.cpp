// Sessions that evaluate configurations that the request names, and sessions with a purpose, which evaluate
// nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class NamedConfigurationsTest : public testing::SessionTest {
 protected:
  static SessionPlan plan_of(const std::string& budget) {
    SessionPlan plan = testing::line_plan(300, budget);
    plan.strategy = "random";
    plan.transfer = false;
    return plan;
  }

  static SessionPlan recheck_of(const std::vector<std::int64_t>& xs) {
    SessionPlan plan = plan_of("all");
    plan.fresh = true;
    plan.purpose = "recheck";
    for (const std::int64_t x : xs) plan.named.push_back(testing::at(x));
    return plan;
  }

  static std::vector<double> samples(double median_ns) {
    std::vector<double> samples;
    for (int i = -4; i <= 4; ++i) samples.push_back(median_ns + 0.1 * i);
    return samples;
  }
};

TEST_F(NamedConfigurationsTest, TheyFollowTheDefaultAndThoseOutsideTheSpaceAreLeftOut) {
  SessionPlan plan = plan_of("4");
  plan.named = {testing::at(7), testing::at(301), testing::at(300), testing::at(9), {{"Y", std::int64_t{7}}}};
  run(plan);
  ASSERT_THAT(evaluator_.submitted, SizeIs(4));  // The strategy asks for the fourth.
  evaluator_.submitted.pop_back();
  EXPECT_THAT(evaluator_.submitted, ElementsAre(300, 7, 9));
}

TEST_F(NamedConfigurationsTest, TheRecommendedOneFollowsThem) {
  SessionPlan plan = plan_of("3");
  plan.named = {testing::at(7)};
  plan.recommended = testing::at(9);
  run(plan);
  EXPECT_THAT(evaluator_.submitted, ElementsAre(300, 7, 9));
  evaluator_.submitted.clear();
  SessionPlan recheck = recheck_of({7});
  recheck.recommended = testing::at(9);
  run(recheck);
  EXPECT_THAT(evaluator_.submitted, ElementsAre(300, 7));
}

TEST_F(NamedConfigurationsTest, ASessionWithAPurposeEvaluatesNothingElseAndKeepsTheSavedSearch) {
  const SessionPlan tuned = plan_of("20");
  run(tuned);
  const auto saved = store_.search_state(tuned.workload, "random", tuned.seed, "time");
  ASSERT_TRUE(saved);
  const SessionResult result = run(recheck_of({7, 9}));
  EXPECT_THAT(rows_of(result), ElementsAre(300, 7, 9));
  EXPECT_EQ(store_.session(result.session_id)->strategy, "recheck");
  const auto after = store_.search_state(tuned.workload, "random", tuned.seed, "time");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->session_id, saved->session_id);
  EXPECT_EQ(after->text, saved->text);
}

TEST_F(NamedConfigurationsTest, ASessionWithAPurposeRanksAndChangesOnlyItsOwnRows) {
  SessionPlan first = testing::line_plan(5);
  first.final_rounds = 9;
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(1000.0 + static_cast<double>(testing::x_of(configuration)));
  };
  const SessionResult before = run(first);
  const std::vector<db::StoredMeasurement> rows = store_.session_measurements(before.session_id);
  evaluator_.final_rounds.clear();
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(1010.0 + static_cast<double>(testing::x_of(configuration)));
  };
  SessionPlan again = first;
  again.fresh = true;
  again.purpose = "recheck";
  again.named = {testing::at(3), testing::at(4)};
  const SessionResult after = run(again);
  EXPECT_EQ(testing::x_of(after.best->configuration), 3);  // X = 1 has an older and smaller time.
  EXPECT_DOUBLE_EQ(after.best->time->median_ns, 1013.0);
  ASSERT_THAT(evaluator_.final_rounds, SizeIs(1));
  EXPECT_THAT(evaluator_.final_rounds[0],
              UnorderedElementsAre(testing::at(3), testing::at(4), testing::at(5)));
  const std::vector<db::StoredMeasurement> kept = store_.session_measurements(before.session_id);
  ASSERT_EQ(kept.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(kept[i].measurement.samples_ns, rows[i].measurement.samples_ns);
    EXPECT_EQ(kept[i].measurement.time->median_ns, rows[i].measurement.time->median_ns);
  }
}

}  // namespace
}  // namespace warptune::tuner::session
