// Simulated sessions over tiny recordings, against times that were worked out by hand.
#include "tuner/replay/simulated_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::replay {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using ::testing::SizeIs;

// X = 1 .. times.size(). An evaluation takes 2 s to compile and 1 s to measure.
model::Recording recording_of(const std::vector<double>& times_ns) {
  model::Recording recording;
  recording.listed = true;
  recording.parameters.emplace_back();
  recording.parameters[0].name = "X";
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i + 1);
    recording.parameters[0].values.emplace_back(x);
    recording.measurements.push_back(testing::measured(testing::at(x), times_ns[i]));
    recording.measurements.back().compile_ms = 2000.0;
    recording.measurements.back().measure_ms = 1000.0;
    recording.measurements.back().samples_ns = std::vector<double>(10, times_ns[i]);
  }
  return recording;
}

class SimulatedSessionTest : public ::testing::Test {
 protected:
  SimulatedSessionTest() {
    simulation_.machine = {1, 0.0, 1000, 0.0};
    simulation_.choice_s = 0.0;
  }
  search::scoring::Trace run(const std::vector<double>& times_ns) {
    const model::Recording recording = recording_of(times_ns);
    const search::scoring::RecordedSpace recorded(recording);
    return simulate_session("exhaustive", recorded, {}, simulation_);
  }
  static std::vector<double> seconds_of(const search::scoring::Trace& trace) {
    std::vector<double> seconds;
    for (const search::scoring::TracePoint& point : trace.points) seconds.push_back(point.seconds.value());
    return seconds;
  }

  SessionSimulation simulation_;
};

TEST_F(SimulatedSessionTest, OneWorkerIsTheBottleneck) {
  const search::scoring::Trace trace = run({30.0, 10.0, 20.0});
  EXPECT_THAT(seconds_of(trace), Pointwise(DoubleNear(1e-9), {3.0, 5.0, 7.0}));
  EXPECT_EQ(trace.strategy, "exhaustive");
  EXPECT_EQ(trace.best_after_seconds(2.9), std::numeric_limits<double>::infinity());
  EXPECT_EQ(trace.best_after_seconds(3.0), 30.0);
  EXPECT_EQ(trace.best_after_seconds(100.0), 10.0);
}

TEST_F(SimulatedSessionTest, WithFourWorkersTheGpuIsTheBottleneck) {
  simulation_.machine.compile_workers = 4;
  EXPECT_THAT(seconds_of(run({30.0, 10.0, 20.0})), Pointwise(DoubleNear(1e-9), {3.0, 4.0, 5.0}));
}

TEST_F(SimulatedSessionTest, SetUpIsHiddenBehindCompiling) {
  simulation_.machine.set_up_s = 1.5;
  EXPECT_THAT(seconds_of(run({30.0, 10.0})), Pointwise(DoubleNear(1e-9), {3.0, 5.0}));
  simulation_.machine.set_up_s = 2.5;
  EXPECT_THAT(seconds_of(run({30.0, 10.0})), Pointwise(DoubleNear(1e-9), {3.5, 5.0}));
}

TEST_F(SimulatedSessionTest, ProgramsInTheCacheAreNotCompiled) {
  simulation_.cache.share = 1.0;
  EXPECT_THAT(seconds_of(run({30.0, 10.0, 20.0})), Pointwise(DoubleNear(1e-9), {1.0, 2.0, 3.0}));
}

TEST_F(SimulatedSessionTest, AShareOfProgramsIsInTheCache) {
  simulation_.cache.share = 0.5;
  simulation_.machine.compile_workers = 100;
  const double cold_s = 102.0;
  const double end_s = run(std::vector<double>(100, 30.0)).points.back().seconds.value();
  EXPECT_LT(end_s, cold_s);  // The GPU does not wait for the first program.
  EXPECT_GE(end_s, 100.0);
}

TEST_F(SimulatedSessionTest, ChoicesTakeTime) {
  simulation_.choice_s = 0.5;
  // The loop asks for all three at once, because one worker and one GPU want six. They are chosen after 1.5
  // s.
  EXPECT_THAT(seconds_of(run({30.0, 10.0, 20.0})), Pointwise(DoubleNear(1e-9), {4.5, 6.5, 8.5}));
}

TEST_F(SimulatedSessionTest, EndsByTheBudgetInSecondsAndFinishesWhatRuns) {
  simulation_.budget = session::Budget::parse("4s");
  // After 4 s the second program is compiled and on the GPU, and the third is being compiled.
  EXPECT_THAT(seconds_of(run(std::vector<double>(20, 30.0))), Pointwise(DoubleNear(1e-9), {3.0, 5.0, 7.0}));
}

TEST_F(SimulatedSessionTest, EndsByTheBudgetInEvaluations) {
  simulation_.budget = session::Budget::parse("4");
  EXPECT_THAT(run(std::vector<double>(20, 30.0)).points, SizeIs(4));
}

TEST_F(SimulatedSessionTest, StopsAfterSoManyEvaluations) {
  simulation_.stop_after = 5;
  EXPECT_THAT(run(std::vector<double>(20, 30.0)).points, SizeIs(5));
}

TEST_F(SimulatedSessionTest, TheSessionEndsAfterTheFinalRounds) {
  // Two finalists are within 5 %. Each is launched 15 times for 0.1 s.
  EXPECT_NEAR(run({104.0, 100.0, 106.0}).session_s.value(), 7.0 + 3.0, 1e-9);
  // At most eight are timed.
  EXPECT_NEAR(run(std::vector<double>(20, 30.0)).session_s.value(), 41.0 + 12.0, 1e-9);
}

TEST_F(SimulatedSessionTest, FailuresAreToldAndTakeTime) {
  model::Recording recording = recording_of({30.0, 10.0, 20.0});
  recording.measurements[1].status = model::Status::kCompileFailed;
  const search::scoring::RecordedSpace recorded(recording);
  const search::scoring::Trace trace = simulate_session("exhaustive", recorded, {}, simulation_);
  EXPECT_THAT(seconds_of(trace), Pointwise(DoubleNear(1e-9), {3.0, 4.0, 7.0}));
  EXPECT_EQ(trace.points[1].objective_ns, std::nullopt);
  EXPECT_EQ(trace.best_after(3), 20.0);
}

TEST_F(SimulatedSessionTest, MeasuresTheCpuTimeOfTheStrategyIfItHasNoFixedCost) {
  simulation_.choice_s.reset();
  const search::scoring::Trace trace = run({30.0, 10.0, 20.0});
  EXPECT_GT(trace.strategy_cpu_s.value(), 0.0);
  EXPECT_GT(trace.points.back().seconds.value(), 7.0);
}

TEST_F(SimulatedSessionTest, IsTheSameForTheSameSeedWithAFixedCost) {
  std::vector<double> times_ns;
  for (int i = 0; i < 60; ++i) times_ns.push_back(1000.0 + 37.0 * ((i * 23) % 60));
  const model::Recording recording = recording_of(times_ns);
  const search::scoring::RecordedSpace recorded(recording);
  simulation_.choice_s = 0.002;
  simulation_.machine.compile_workers = 4;
  simulation_.stop_after = 30;
  const auto bests = [&](std::uint64_t seed) {
    search::StrategyOptions options;
    options.seed = seed;
    std::vector<std::pair<std::optional<double>, std::optional<double>>> all;
    for (const auto& point : simulate_session("surrogate", recorded, options, simulation_).points)
      all.emplace_back(point.seconds, point.objective_ns);
    return all;
  };
  EXPECT_EQ(bests(1), bests(1));
  EXPECT_NE(bests(1), bests(2));
}

}  // namespace
}  // namespace warptune::tuner::replay
