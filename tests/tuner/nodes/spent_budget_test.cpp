#include "tuner/nodes/spent_budget.h"

#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

TEST(SpentBudget, IsTheSumOfTheSessionsOfAWorkload) {
  const testing::TemporaryFolder folder;
  db::Store store(folder / "store.db");
  db::Session session;
  session.workload = testing::line_plan(4).workload;
  for (const model::RowSource source : {model::RowSource::kMeasured, model::RowSource::kReplayed}) {
    session.source = source;
    session.started_ms = 1'000'000;
    const std::int64_t id = store.begin_session(session);
    for (std::int64_t x = 1; x <= 2; ++x) {
      model::Measurement row = testing::measured(testing::at(x), 100.0);
      row.measure_ms = 250.0;
      row.time_stamp_ms = 1'000'000 + 3000 * x;
      store.add_measurement(id, row);
    }
  }
  const SpentBudget spent = spent_budget(store, session.workload);
  EXPECT_EQ(spent.evaluations, 4U);
  EXPECT_DOUBLE_EQ(spent.seconds, 6.0 + 0.5);
  session.workload.problem = {{"N", std::int64_t{7}}};
  EXPECT_EQ(spent_budget(store, session.workload).evaluations, 0U);
}

TEST(SpentBudget, IsTakenFromTheBudgetOfTheSameKind) {
  EXPECT_EQ(remaining(session::Budget::parse("200"), {150, 9.0}).evaluations, 50U);
  EXPECT_EQ(remaining(session::Budget::parse("200"), {201, 9.0, 1}).evaluations, 0U);
  EXPECT_DOUBLE_EQ(remaining(session::Budget::parse("60s"), {150, 9.0}).seconds.value(), 51.0);
  EXPECT_DOUBLE_EQ(remaining(session::Budget::parse("60s"), {150, 90.0, 1}).seconds.value(), 0.0);
  EXPECT_FALSE(remaining(session::Budget::parse("all"), {150, 9.0}).evaluations.has_value());
  EXPECT_EQ(remaining(session::Budget::parse("60s"), {150, 9.0}).text, "60s");
}

TEST(SpentBudget, IsLeftWhollyIfNothingCouldBeMeasured) {
  EXPECT_EQ(remaining(session::Budget::parse("200"), {200, 9.0}).evaluations, 200U);
  EXPECT_EQ(remaining(session::Budget::parse("60s"), {150, 60.0}).seconds.value(), 60.0);
  EXPECT_EQ(remaining(session::Budget::parse("200"), {50, 9.0}).evaluations, 150U) << "the attempt goes on";
}

}  // namespace
}  // namespace warptune::tuner::nodes
