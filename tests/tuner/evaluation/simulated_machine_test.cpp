// The simulated machine against times that were worked out by hand.
#include "tuner/evaluation/simulated_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner::evaluation {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Without set-up and without counting.
SimulatedMachineOptions bare(std::size_t workers) { return {workers, 0.0, 1000, 0.0}; }

// The moments at which tasks end, by their ids, until nothing is pending.
std::vector<std::pair<std::uint64_t, double>> ends(SimulatedMachine& machine) {
  std::vector<std::pair<std::uint64_t, double>> all;
  while (machine.pending() > 0) {
    for (const std::uint64_t id : machine.wait()) all.emplace_back(id, machine.now_s());
  }
  return all;
}

auto end(std::uint64_t id, double moment_s) { return ::testing::Pair(id, DoubleEq(moment_s)); }

TEST(SimulatedMachineTest, OneWorkerCompilesWhileTheGpuMeasures) {
  SimulatedMachine machine(bare(1));
  machine.submit({1, 4.0, 1.0});
  machine.submit({2, 2.0, 5.0});
  machine.submit({3, 1.0, 1.0});
  // Compiled after 4, 6 and 7 s. The GPU measures from 4 to 5, from 6 to 11 and from 11 to 12 s.
  EXPECT_THAT(ends(machine), ElementsAre(end(1, 5.0), end(2, 11.0), end(3, 12.0)));
}

TEST(SimulatedMachineTest, ManyWorkersCompileAtTheSameTimeAndTheGpuTakesWhatIsCompiledFirst) {
  SimulatedMachine machine(bare(2));
  machine.submit({1, 4.0, 1.0});
  machine.submit({2, 2.0, 1.0});
  machine.submit({3, 1.0, 3.0});  // The second worker takes it after 2 s.
  EXPECT_THAT(ends(machine), ElementsAre(end(2, 3.0), end(3, 6.0), end(1, 7.0)));
}

TEST(SimulatedMachineTest, CachedProgramsNeedNoWorker) {
  SimulatedMachine machine(bare(1));
  machine.submit({1, 4.0, 1.0});
  machine.submit({2, 0.0, 1.0});
  EXPECT_THAT(ends(machine), ElementsAre(end(2, 1.0), end(1, 5.0)));
}

TEST(SimulatedMachineTest, WhatDoesNotCompileNeverReachesTheGpu) {
  SimulatedMachine machine(bare(1));
  machine.submit({1, 4.0, 9.0, false});
  machine.submit({2, 0.0, 9.0, false});
  EXPECT_THAT(ends(machine), ElementsAre(end(2, 0.0), end(1, 4.0)));
}

TEST(SimulatedMachineTest, CompilesBeforeTheGpuIsReady) {
  SimulatedMachine machine({2, 3.0, 1000, 0.0});
  machine.submit({1, 1.0, 2.0});
  EXPECT_THAT(machine.wait(), IsEmpty());  // Compiled.
  EXPECT_DOUBLE_EQ(machine.now_s(), 1.0);
  EXPECT_FALSE(machine.is_ready());
  EXPECT_THAT(machine.wait(), IsEmpty());
  EXPECT_TRUE(machine.is_ready());
  EXPECT_THAT(ends(machine), ElementsAre(end(1, 5.0)));
}

TEST(SimulatedMachineTest, WaitsForTheGpuEvenIfNothingIsSubmitted) {
  SimulatedMachine machine({2, 3.0, 1000, 0.0});
  EXPECT_THAT(machine.wait(), IsEmpty());
  EXPECT_DOUBLE_EQ(machine.now_s(), 3.0);
}

TEST(SimulatedMachineTest, WorkersFinishWhatTheyHaveWhileTheCoordinatorComputes) {
  SimulatedMachine machine(bare(1));
  machine.submit({1, 1.0, 1.0});
  machine.submit({2, 1.0, 1.0});
  machine.spend(5.0);  // The first is compiled after 1 s, but nobody gives it to the GPU before 5 s.
  EXPECT_DOUBLE_EQ(machine.now_s(), 5.0);
  EXPECT_THAT(ends(machine), ElementsAre(end(1, 6.0), end(2, 7.0)));
}

TEST(SimulatedMachineTest, TheGpuHasASecondEvaluationWhileTheCoordinatorComputes) {
  SimulatedMachine machine(bare(1));
  for (std::uint64_t id = 1; id <= 3; ++id) machine.submit({id, 0.0, 1.0});
  machine.spend(5.0);  // The GPU's worker has the first two.
  EXPECT_THAT(machine.wait(), ElementsAre(1, 2));
  EXPECT_THAT(ends(machine), ElementsAre(end(3, 6.0)));
}

TEST(SimulatedMachineTest, ABatchOfCountsEndsWithClosingItsProfilerSession) {
  SimulatedMachine machine({1, 0.0, 2, 0.5});
  for (std::uint64_t id = 1; id <= 5; ++id) machine.submit({id, 0.0, 1.0});
  EXPECT_THAT(ends(machine), ElementsAre(end(1, 1.0), end(2, 2.0), end(3, 3.5), end(4, 4.5), end(5, 6.0)));
}

TEST(SimulatedMachineTest, DropsWhatNoWorkerHas) {
  SimulatedMachine machine(bare(1));
  machine.submit({1, 1.0, 1.0});
  machine.submit({2, 1.0, 1.0});
  for (std::uint64_t id = 3; id <= 5; ++id) machine.submit({id, 0.0, 1.0});
  EXPECT_EQ(machine.pending(), 5U);
  machine.drop_waiting();  // 1 is being compiled, and the GPU's worker has 3 and 4.
  EXPECT_THAT(ends(machine), ElementsAre(end(3, 1.0), end(4, 2.0), end(1, 3.0)));
}

}  // namespace
}  // namespace warptune::tuner::evaluation
