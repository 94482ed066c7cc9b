#include "tuner/replay/recorded_costs.h"

#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::replay {
namespace {

using model::Status;

model::Measurement row(std::int64_t x, Status status, double compile_ms, double measure_ms) {
  model::Measurement measurement = status == Status::kMeasured
                                       ? testing::measured(testing::at(x), 1000.0)
                                       : testing::failed(testing::at(x), status, "no");
  measurement.compile_ms = compile_ms;
  measurement.measure_ms = measure_ms;
  return measurement;
}

class RecordedCostsTest : public ::testing::Test {
 protected:
  EvaluationCost cost_of(std::int64_t x) {
    const search::scoring::RecordedSpace space(recording_);
    return RecordedCosts(space).of(space.row({static_cast<std::uint32_t>(x - 1)}));
  }
  void add(const model::Measurement& measurement) {
    recording_.parameters[0].values.emplace_back(x_of(measurement.configuration));
    recording_.measurements.push_back(measurement);
  }
  void SetUp() override {
    recording_.listed = true;
    recording_.parameters.emplace_back();
    recording_.parameters[0].name = "X";
  }
  static std::int64_t x_of(const model::NamedValues& values) { return testing::x_of(values); }

  model::Recording recording_;
};

TEST_F(RecordedCostsTest, AreTheRecordedTimes) {
  add(row(1, Status::kMeasured, 200.0, 30.0));
  EXPECT_DOUBLE_EQ(cost_of(1).compile_s, 0.2);
  EXPECT_DOUBLE_EQ(cost_of(1).measure_s, 0.03);
  EXPECT_TRUE(cost_of(1).uses_gpu);
}

TEST_F(RecordedCostsTest, AreTheMedianOfTheOtherRowsWhereATimeIsMissing) {
  add(row(1, Status::kMeasured, 200.0, 30.0));
  add(row(2, Status::kMeasured, 400.0, 50.0));
  add(row(3, Status::kMeasured, 600.0, 90.0));
  add(row(4, Status::kMeasured, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(cost_of(4).compile_s, 0.4);
  EXPECT_DOUBLE_EQ(cost_of(4).measure_s, 0.05);
}

TEST_F(RecordedCostsTest, AreThoseOfShippedRecordingsWhereNoTimeIsRecorded) {
  add(row(1, Status::kMeasured, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(cost_of(1).compile_s, 0.159);
  EXPECT_DOUBLE_EQ(cost_of(1).measure_s, 0.0097);
}

TEST_F(RecordedCostsTest, FailuresOfTheCompilerNeedNoGpuAndWhatCannotRunIsNotCompiled) {
  add(row(1, Status::kMeasured, 200.0, 30.0));
  add(row(2, Status::kCompileFailed, 0.0, 0.0));
  add(row(3, Status::kLaunchInvalid, 0.0, 0.0));
  add(row(4, Status::kWrongResult, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(cost_of(2).compile_s, 0.2);
  EXPECT_DOUBLE_EQ(cost_of(2).measure_s, 0.0);
  EXPECT_FALSE(cost_of(2).uses_gpu);
  EXPECT_DOUBLE_EQ(cost_of(3).compile_s, 0.0);
  EXPECT_FALSE(cost_of(3).uses_gpu);
  EXPECT_DOUBLE_EQ(cost_of(4).measure_s, 0.03);
  EXPECT_TRUE(cost_of(4).uses_gpu);
}

TEST_F(RecordedCostsTest, ALaunchTakesItsShareOfTheTimeOnTheGpu) {
  add(row(1, Status::kMeasured, 200.0, 30.0));
  recording_.measurements[0].samples_ns = {1.0, 2.0, 3.0};
  const search::scoring::RecordedSpace space(recording_);
  EXPECT_DOUBLE_EQ(RecordedCosts(space).launch_s(space.row({0})), 0.01);
}

}  // namespace
}  // namespace warptune::tuner::replay
