#include "tuner/evaluation/paced_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "db/store.h"
#include "tests/tuner/session_data.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::evaluation {
namespace {

using ::testing::SizeIs;

// X = 1 .. `size`, each measured in 20 ms.
model::Recording line_recording(std::int64_t size, double compile_ms = 30.0) {
  model::Recording recording;
  const session::SessionPlan plan = testing::line_plan(size);
  recording.workload = plan.workload;
  recording.parameters = plan.space.parameters();
  for (std::int64_t x = 1; x <= size; ++x) {
    model::Measurement row = testing::measured(testing::at(x), 500.0 + static_cast<double>(x));
    row.compile_ms = compile_ms;
    row.measure_ms = 20.0;
    recording.measurements.push_back(row);
  }
  return recording;
}

session::SessionResult run_paced(const model::Recording& recording, std::int64_t size, const Pace& pace,
                                 const std::string& budget = "all") {
  const testing::TemporaryFolder folder;
  db::Store store(folder / "replay.db");
  PacedEvaluator evaluator(recording, pace);
  session::SilentListener listener;
  const base::Cancellation never;
  session::SessionPlan plan = testing::line_plan(size, budget);
  plan.replayed = true;
  return session::run_session(plan, evaluator, store, listener, never);
}

TEST(PacedEvaluatorTest, ASessionTakesAtLeastTheRecordedTimeOfItsGpu) {
  const model::Recording recording = line_recording(20);
  const auto start = std::chrono::steady_clock::now();
  const session::SessionResult result = run_paced(recording, 20, {0.5, 4});
  EXPECT_EQ(result.progress.evaluated, 20U);
  ASSERT_TRUE(result.best);
  EXPECT_DOUBLE_EQ(result.best->time->median_ns, 501.0);
  // 0.4 s of setting up and 20 measurements of 20 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(400));
  EXPECT_GE(result.progress.elapsed_s, 0.8);
}

TEST(PacedEvaluatorTest, OneCompileWorkerIsSlowerThanTheGpu) {
  const model::Recording recording = line_recording(20, 100.0);
  EXPECT_GE(run_paced(recording, 20, {0.1, 1}).progress.elapsed_s, 2.0);
}

TEST(PacedEvaluatorTest, ABudgetOfSecondsIsOneOfRecordedSeconds) {
  const model::Recording recording = line_recording(1000);
  const session::SessionResult result = run_paced(recording, 1000, {0.1, 4}, "1s");
  EXPECT_GT(result.progress.evaluated, 0U);
  EXPECT_LT(result.progress.evaluated, 1000U);
}

TEST(PacedEvaluatorTest, WhatTheRecordingLacksIsUnknownAtOnce) {
  const model::Recording recording = line_recording(2);
  PacedEvaluator evaluator(recording, {1000.0, 1});
  evaluator.submit({7, testing::at(3)});
  EXPECT_EQ(evaluator.pending(), 1U);
  const std::vector<EvaluationEvent> events = evaluator.wait(std::chrono::milliseconds(0));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(std::get<UnknownEvent>(events.front()).id, 7U);
  EXPECT_EQ(evaluator.pending(), 0U);
}

TEST(PacedEvaluatorTest, WhatNoWorkerHasBegunIsForgotten) {
  const model::Recording recording = line_recording(20, 500.0);
  PacedEvaluator evaluator(recording, {1.0, 1});  // The second one would begin half a second later.
  for (std::int64_t x = 1; x <= 20; ++x) evaluator.submit({static_cast<std::uint64_t>(x), testing::at(x)});
  evaluator.drop_waiting();
  std::set<std::uint64_t> answered;
  while (evaluator.pending() > 0) {
    for (const EvaluationEvent& event : evaluator.wait(std::chrono::milliseconds(10)))
      answered.insert(std::get<MeasurementEvent>(event).id);
  }
  EXPECT_THAT(answered, ::testing::ElementsAre(1U));
}

}  // namespace
}  // namespace warptune::tuner::evaluation
