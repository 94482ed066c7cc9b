#include "tuner/evaluation/replay_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::evaluation {
namespace {

using ::testing::SizeIs;

model::Recording line_recording() {
  model::Recording recording;
  const session::SessionPlan plan = testing::line_plan(3);
  recording.workload = plan.workload;
  recording.parameters = plan.space.parameters();
  recording.roofs = {1e12, 2e12};
  recording.environment.driver_version = 13000;
  recording.measurements = {testing::measured(testing::at(1), 500.0),
                            testing::failed(testing::at(2), model::Status::kWrongResult, "off by one")};
  return recording;
}

MeasurementEvent evaluate(ReplayEvaluator& evaluator, std::uint64_t id, std::int64_t x) {
  evaluator.submit({id, testing::at(x)});
  const std::vector<EvaluationEvent> events = evaluator.wait(std::chrono::milliseconds(0));
  EXPECT_THAT(events, SizeIs(1));
  return std::get<MeasurementEvent>(events.at(0));
}

TEST(ReplayEvaluatorTest, AnswersWhatWasRecorded) {
  const model::Recording recording = line_recording();
  ReplayEvaluator evaluator(recording);
  const MeasurementEvent event = evaluate(evaluator, 7, 1);
  EXPECT_EQ(event.id, 7U);
  EXPECT_DOUBLE_EQ(event.measurement.time->median_ns, 500.0);
  EXPECT_THAT(event.measurement.samples_ns, SizeIs(3));
  EXPECT_EQ(evaluate(evaluator, 8, 2).measurement.reason, "off by one");
}

TEST(ReplayEvaluatorTest, AConfigurationThatIsNotRecordedIsUnknown) {
  const model::Recording recording = line_recording();
  ReplayEvaluator evaluator(recording);
  evaluator.submit({1, testing::at(3)});
  const std::vector<EvaluationEvent> events = evaluator.wait(std::chrono::milliseconds(0));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(std::get<UnknownEvent>(events.at(0)).id, 1U);
  EXPECT_EQ(evaluator.pending(), 0U);
  EXPECT_DOUBLE_EQ(evaluator.elapsed_s(), 0.0);
}

TEST(ReplayEvaluatorTest, ASessionNeitherStoresNorCountsWhatTheRecordingLacks) {
  const model::Recording recording = line_recording();
  const testing::TemporaryFolder folder;
  db::Store store(folder / "replay.db");
  ReplayEvaluator evaluator(recording);
  session::SilentListener listener;
  const base::Cancellation never;
  const session::SessionResult result =
      session::run_session(testing::line_plan(3, "2"), evaluator, store, listener, never);
  EXPECT_EQ(result.progress.evaluated, 2U);
  EXPECT_THAT(store.session_measurements(result.session_id), SizeIs(2));
}

TEST(ReplayEvaluatorTest, ADroppedRowComesAsDroppedAgain) {
  model::Recording recording = line_recording();
  recording.measurements.push_back(testing::dropped(testing::at(3), 900.0));
  ReplayEvaluator evaluator(recording);
  const MeasurementEvent event = evaluate(evaluator, 1, 3);
  EXPECT_EQ(event.measurement.status, model::Status::kDropped);
  EXPECT_DOUBLE_EQ(event.measurement.time->low_ns.value(), 810.0);
}

TEST(ReplayEvaluatorTest, ItsClockIsTheRecordedOne) {
  const model::Recording recording = line_recording();
  ReplayEvaluator evaluator(recording);
  EXPECT_DOUBLE_EQ(evaluator.elapsed_s(), 0.0);
  evaluate(evaluator, 1, 1);
  EXPECT_DOUBLE_EQ(evaluator.elapsed_s(), 0.020);  // 20 ms of measuring; 30 ms of compiling ran ahead.
}

TEST(ReplayEvaluatorTest, PassesOnRoofsAndEnvironment) {
  const model::Recording recording = line_recording();
  const ReplayEvaluator evaluator(recording);
  EXPECT_EQ(evaluator.roofs().copy_bytes_per_s, 1e12);
  EXPECT_EQ(evaluator.environment().driver_version, 13000);
}

TEST(ReplayEvaluatorTest, WhatWaitsCanBeDropped) {
  const model::Recording recording = line_recording();
  ReplayEvaluator evaluator(recording);
  EXPECT_EQ(evaluator.wanted(), 1U);
  evaluator.submit({1, testing::at(1)});
  EXPECT_EQ(evaluator.wanted(), 0U);
  EXPECT_EQ(evaluator.pending(), 1U);
  evaluator.drop_waiting();
  EXPECT_EQ(evaluator.pending(), 0U);
  EXPECT_TRUE(evaluator.wait(std::chrono::milliseconds(0)).empty());
}

}  // namespace
}  // namespace warptune::tuner::evaluation
