#include "model/recording.h"

#include <gtest/gtest.h>

namespace warptune::model {
namespace {

Measurement measured(std::int64_t block, double time_ns) {
  Measurement measurement;
  measurement.configuration = {{"BLOCK", block}, {"LOAD", std::string("ldg")}};
  measurement.status = Status::kMeasured;
  measurement.time = TimeSummary{time_ns};
  return measurement;
}

TEST(RecordingIndex, FindsAMeasurementWhateverTheOrderOfNames) {
  Recording recording;
  recording.measurements = {measured(64, 1.0), measured(128, 2.0)};
  const RecordingIndex index(recording);
  const Measurement* found = index.find({{"LOAD", std::string("ldg")}, {"BLOCK", std::int64_t{128}}});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->time->median_ns, 2.0);
  EXPECT_EQ(index.find({{"LOAD", std::string("ldg")}, {"BLOCK", std::int64_t{32}}}), nullptr);
}

TEST(RecordingIndex, TakesTheLastOfRepeatedRows) {
  Recording recording;
  recording.measurements = {measured(64, 1.0), measured(64, 3.0)};
  EXPECT_EQ(RecordingIndex(recording).find(recording.measurements[0].configuration)->time->median_ns, 3.0);
}

TEST(Recording, MakesItsSpace) {
  Recording recording;
  recording.parameters.push_back({"BLOCK", {std::int64_t{64}, std::int64_t{128}}, "", {}});
  recording.constraints.push_back({Expression::parse("BLOCK <= LIMIT"), ""});
  recording.constants = {{"LIMIT", std::int64_t{64}}};
  EXPECT_EQ(recording.space().size(), 1U);
}

}  // namespace
}  // namespace warptune::model
