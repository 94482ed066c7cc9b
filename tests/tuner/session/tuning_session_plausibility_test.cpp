// Rows that cannot be true are stored with the reason, reported, and never become the best.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::x_of;

class TuningSessionPlausibilityTest : public testing::SessionTest {
 protected:
  TuningSessionPlausibilityTest() {
    evaluator_.set_roofs(roofs());
    evaluator_.answer = [](const model::NamedValues& configuration) {
      return honest(configuration, 1000.0 + static_cast<double>(testing::x_of(configuration)));
    };
    evaluator_.count = [](const model::NamedValues&) { return model::Counters{{"lts__t_bytes.sum", 3e6}}; };
  }

  static model::Roofs roofs() {
    model::Roofs roofs;
    roofs.copy_bytes_per_s = roofs.read_bytes_per_s = 4e12;
    roofs.fp32_measured_flops_per_s = 60e12;
    return roofs;
  }
  // Writes 1 MB, which takes 50 to 200 ns through the ports of the fictional GPU's SMs.
  static model::Measurement honest(const model::NamedValues& configuration, double median_ns) {
    model::Measurement measurement = testing::measured(configuration, median_ns);
    measurement.counters["bytes_to_write"] = 1e6;
    return measurement;
  }
  // X = 1 writes nothing.
  void cheat_by_counters() {
    evaluator_.count = [](const model::NamedValues& configuration) {
      return model::Counters{{"lts__t_bytes.sum", testing::x_of(configuration) == 1 ? 1e4 : 3e6}};
    };
  }
  model::Measurement row_of(std::int64_t x) const {
    for (const db::StoredMeasurement& row : store_.measurements(testing::line_plan(5).workload)) {
      if (testing::x_of(row.measurement.configuration) == x) return row.measurement;
    }
    return {};
  }
};

TEST_F(TuningSessionPlausibilityTest, WhatCountersThatCameAtTheEndSayIsNotRanked) {
  cheat_by_counters();
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 2);
  EXPECT_EQ(row_of(1).status, Status::kImplausible);
  EXPECT_THAT(row_of(1).reason, HasSubstr("0.01 MB were written at the L2"));
  EXPECT_EQ(row_of(1).counters.at("lts__t_bytes.sum"), 1e4);  // Kept, so that people can look at it.
  ASSERT_THAT(listener_.rejected, SizeIs(1));
  EXPECT_EQ(listener_.rejected[0].rejection.reason, row_of(1).reason);
  ASSERT_THAT(result.implausible, SizeIs(1));
  EXPECT_EQ(testing::x_of(result.implausible[0].configuration), 1);
  EXPECT_EQ(result.progress.by_status.at(Status::kImplausible), 1U);
  EXPECT_EQ(result.progress.by_status.at(Status::kMeasured), 4U);
  EXPECT_EQ(testing::x_of(store_.winners("toy", "").at(0).best.configuration), 2);
}

TEST_F(TuningSessionPlausibilityTest, OthersDoNotRaceAgainstWhatWasWithdrawn) {
  cheat_by_counters();
  evaluator_.counters_after = 2;
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(evaluator_.withdrawn, 1U);
  EXPECT_THAT(evaluator_.incumbents,
              ElementsAre(1005.0, 1001.0, 1005.0, 1002.0));  // The default comes first.
  EXPECT_EQ(result.progress.best_value, 1002.0);
  EXPECT_EQ(testing::x_of(result.progress.best), 2);
}

TEST_F(TuningSessionPlausibilityTest, AnImportedRowDoesNotTakeThePlaceOfWhatWasWithdrawn) {
  cheat_by_counters();
  evaluator_.counters_after = 2;
  db::Session imported;
  imported.workload = testing::line_plan(5).workload;
  imported.source = model::RowSource::kImported;
  model::Measurement row = testing::measured(testing::at(4), 10.0);
  row.source = model::RowSource::kImported;
  store_.add_measurement(store_.begin_session(imported), row);
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(evaluator_.withdrawn, 1U);
  EXPECT_THAT(evaluator_.incumbents, ElementsAre(1005.0, 1001.0, 1005.0, 1002.0));
  EXPECT_EQ(result.progress.best_value, 1002.0);
}

TEST_F(TuningSessionPlausibilityTest, ATimeThatIsTooShortForTheOutputsNeverSeemsMeasured) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return honest(configuration, testing::x_of(configuration) == 1 ? 1.0 : 1000.0);
  };
  const SessionResult result = run(testing::line_plan(3));
  EXPECT_NE(testing::x_of(result.best->configuration), 1);
  EXPECT_EQ(row_of(1).status, Status::kImplausible);
  EXPECT_THAT(evaluator_.incumbents, ElementsAre(1000.0));
  EXPECT_THAT(listener_.rejected, IsEmpty());  // It was already stored as implausible.
}

TEST_F(TuningSessionPlausibilityTest, WhatAnEarlierSessionTookForMeasuredIsLookedAtBeforeItIsBest) {
  db::Session earlier;
  earlier.workload = testing::line_plan(5).workload;
  const std::int64_t id = store_.begin_session(earlier);
  model::Measurement row = honest(testing::at(1), 900.0);
  row.counters["lts__t_bytes.sum"] = 1e4;
  store_.add_measurement(id, row);
  const SessionResult result = run(testing::line_plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 2);
  EXPECT_EQ(row_of(1).status, Status::kImplausible);
  EXPECT_THAT(result.implausible, SizeIs(1));
}

TEST_F(TuningSessionPlausibilityTest, AFinalTimeThatCannotBeIsNoWinners) {
  SessionPlan plan = testing::line_plan(5);
  plan.final_rounds = 3;
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return std::vector<double>(3, testing::x_of(configuration) == 1 ? 1.0 : 1000.0);
  };
  const SessionResult result = run(plan);
  EXPECT_NE(testing::x_of(result.best->configuration), 1);
  EXPECT_EQ(row_of(1).status, Status::kImplausible);
  EXPECT_THAT(listener_.warnings, Contains(HasSubstr("X=1 is not ranked: takes 1.00 ns")));
  EXPECT_THAT(result.implausible, SizeIs(1));
}

TEST_F(TuningSessionPlausibilityTest, WorkThatIsMoreThanALaunchDidIsToldOnceAndNotRefused) {
  SessionPlan plan = testing::line_plan(5);
  plan.declared = {{0.0, 1e9, model::ArithmeticUnit::kFp32, 0.0}, {"toy.cu", 12, 1}, 1.0, true};
  const SessionResult result = run(plan);
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
  ASSERT_THAT(listener_.doubts, SizeIs(1));
  EXPECT_THAT(listener_.doubts[0].message(), HasSubstr("[work] (toy.cu:12:1): a launch took 1.00 us"));
  ASSERT_TRUE(result.work_doubt);
  EXPECT_EQ(result.work_doubt->position.line, 12);
}

TEST_F(TuningSessionPlausibilityTest, AFinalistThatIsFartherOffThanTheOthersIsTold) {
  SessionPlan plan = testing::line_plan(5);
  plan.final_rounds = 3;
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return std::vector<double>(3, 1000.0 + static_cast<double>(testing::x_of(configuration)));
  };
  evaluator_.errors_in_finals = [](const model::NamedValues& configuration) {
    const double times = testing::x_of(configuration) == 1 ? 20.0 : 1.0;
    return model::Counters{{"error_max_absolute", times * 1e-6}, {"error_max_ulp", times * 8.0}};
  };
  const SessionResult result = run(plan);
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);  // Within the tolerance.
  ASSERT_THAT(result.imprecise, SizeIs(1));
  EXPECT_EQ(testing::x_of(result.imprecise[0].configuration), 1);
  EXPECT_THAT(result.imprecise[0].message(),
              HasSubstr("Their largest error is 2e-05; the median of the others' largest errors is 1e-06"));
  EXPECT_THAT(listener_.imprecise, SizeIs(1));
  EXPECT_DOUBLE_EQ(row_of(1).counters.at("error_max_absolute"), 2e-5);
  EXPECT_EQ(row_of(3).counters.at("error_max_ulp"), 8.0);
  EXPECT_EQ(row_of(1).counters.at("lts__t_bytes.sum"), 3e6);  // Its counters stay.
}

}  // namespace
}  // namespace warptune::tuner::session
