// Several GPUs and compile workers, all of them fake (fake_gpu_worker.cpp).
#include "tuner/workers/process_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tuner/processes/worker_process.h"

namespace warptune::tuner::workers {
namespace {

using model::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScopedVariable;
using ::testing::SizeIs;

class SeveralGpusTest : public ::testing::Test {
 protected:
  SeveralGpusTest() {
    options_.ordinals = {0, 1};
    options_.compile_workers = 2;
  }

  // Evaluates the first configurations of the space. Returns the statuses by candidate.
  std::map<std::uint64_t, Status> evaluate(ProcessEvaluator& evaluator, std::uint64_t count) {
    std::map<std::uint64_t, Status> statuses;
    std::uint64_t next = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while ((next < count || evaluator.pending() > 0) && std::chrono::steady_clock::now() < end) {
      for (; next < count && evaluator.wanted() > 0; ++next)
        evaluator.submit({next, instance_.space().values_of(instance_.space().at(next))});
      for (const evaluation::EvaluationEvent& event : evaluator.wait(std::chrono::milliseconds(50))) {
        if (const auto* measured = std::get_if<evaluation::MeasurementEvent>(&event))
          statuses[measured->id] = measured->measurement.status;
      }
      for (std::string& warning : evaluator.take_warnings()) warnings_.push_back(std::move(warning));
    }
    return statuses;
  }

  static std::map<std::uint64_t, Status> all_measured(std::uint64_t count) {
    std::map<std::uint64_t, Status> statuses;
    for (std::uint64_t id = 0; id < count; ++id) statuses[id] = Status::kMeasured;
    return statuses;
  }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  kernel_templates::KernelInstance instance_{
      kernel_templates::load_kernel("vector_add"), {}, model::fictional_gpu()};
  ProcessEvaluatorOptions options_;
  std::vector<std::string> warnings_;
};

TEST_F(SeveralGpusTest, ShareTheCandidates) {
  ProcessEvaluator evaluator(instance_, options_);
  EXPECT_EQ(evaluate(evaluator, 40), all_measured(40));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SeveralGpusTest, OneThatCannotBeSetUpDropsOutAndTheOtherDoesItsWork) {
  const ScopedVariable broken("FAKE_SET_UP_DIES_ON", "1");
  ProcessEvaluator evaluator(instance_, options_);
  EXPECT_EQ(evaluate(evaluator, 40), all_measured(40));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("GPU 1 drops out")));
}

TEST_F(SeveralGpusTest, OneThatIsLostWithEvaluationsAtHandGivesThemToTheOther) {
  const ScopedVariable dies("FAKE_EVALUATION_DIES_ON", "1");
  ProcessEvaluator evaluator(instance_, options_);
  const ScopedVariable stays_dead("FAKE_SET_UP_DIES_ON", "1");  // Workers that start from now on see it.
  std::map<std::uint64_t, Status> expected = all_measured(40);
  const std::map<std::uint64_t, Status> statuses = evaluate(evaluator, 40);
  for (const auto& [id, status] : statuses) {
    if (status == Status::kWorkerDied) expected[id] = status;
  }
  EXPECT_EQ(statuses, expected);
  EXPECT_EQ(std::count_if(statuses.begin(), statuses.end(),
                          [](const auto& row) { return row.second == Status::kWorkerDied; }),
            1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("GPU 1 drops out")));
}

TEST_F(SeveralGpusTest, AnEvaluationThatKillsItsWorkerIsOneRowAndTheGpuComesBack) {
  const ScopedVariable dies("FAKE_EVALUATION_DIES_ON", "1");
  ProcessEvaluator evaluator(instance_, options_);
  const std::map<std::uint64_t, Status> statuses = evaluate(evaluator, 40);
  EXPECT_THAT(statuses, SizeIs(40));
  std::set<Status> seen;
  for (const auto& [id, status] : statuses) seen.insert(status);
  EXPECT_EQ(seen, (std::set<Status>{Status::kMeasured, Status::kWorkerDied}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SeveralGpusTest, WhenNoneIsLeftItIsTheMachinesFault) {
  options_.ordinals = {1};
  const ScopedVariable broken("FAKE_SET_UP_DIES_ON", "1");
  ProcessEvaluator evaluator(instance_, options_);
  EXPECT_THROW(evaluator.roofs(), base::MachineError);
}

TEST_F(SeveralGpusTest, WhatEndsWhileSomethingElseIsWaitedForIsStillPending) {
  const ScopedVariable fails("WARPTUNE_FAKE_COMPILE_FAILS", "1");
  options_.ordinals = {0};
  ProcessEvaluator evaluator(instance_, options_);
  for (std::uint64_t id = 0; id < 3; ++id)
    evaluator.submit({id, instance_.space().values_of(instance_.space().at(id))});
  evaluator.environment();  // Waits for the GPU, while the programs turn out not to compile.
  EXPECT_EQ(evaluator.pending(), 3U);
  std::size_t ended = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (evaluator.pending() > 0 && std::chrono::steady_clock::now() < end)
    ended += evaluation::count_measurements(evaluator.wait(std::chrono::milliseconds(50)));
  EXPECT_EQ(ended, 3U);
}

TEST_F(SeveralGpusTest, AReferenceThatDoesNotRunIsAnErrorOfTheDefinition) {
  const ScopedVariable fails("FAKE_REFERENCE_FAILS", "vector_add");
  options_.ordinals = {0};
  ProcessEvaluator evaluator(instance_, options_);
  EXPECT_THROW(evaluator.roofs(), base::InputError);
}

TEST_F(SeveralGpusTest, TheWorkerThatListedTheGpusBecomesTheFirstGpus) {
  gpus::LocalGpus gpus;
  ASSERT_EQ(gpus.list().gpus.size(), 1U);
  const std::vector<pid_t> lister = testing::children_of(::getpid());
  ProcessEvaluator evaluator(instance_, options_, &gpus);
  EXPECT_EQ(evaluate(evaluator, 4), all_measured(4));
  const std::vector<pid_t> workers = testing::children_of(::getpid());
  EXPECT_NE(std::find(workers.begin(), workers.end(), lister.at(0)), workers.end());
  EXPECT_EQ(workers.size(), 4U);  // Two for GPUs and two that compile.
  EXPECT_EQ(gpus.take_worker(), nullptr);
}

TEST_F(SeveralGpusTest, CancelledFinalsAreNeitherTimedNorConfirmed) {
  base::Cancellation cancellation;
  options_.cancellation = &cancellation;
  ProcessEvaluator evaluator(instance_, options_);
  evaluate(evaluator, 4);
  cancellation.cancel();
  const model::NamedValues best = instance_.space().values_of(instance_.space().at(0));
  const auto started = std::chrono::steady_clock::now();
  EXPECT_TRUE(evaluator.time_interleaved({best}, 3).empty());
  EXPECT_FALSE(evaluator.confirm(best).has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(500));
}

TEST_F(SeveralGpusTest, FinalistsAreTimedOnOne) {
  ProcessEvaluator evaluator(instance_, options_);
  const std::vector<model::NamedValues> finalists = {instance_.space().values_of(instance_.space().at(0)),
                                                     instance_.space().values_of(instance_.space().at(1))};
  const std::vector<profiling::timing::FinalistTiming> timings = evaluator.time_interleaved(finalists, 3);
  ASSERT_EQ(timings.size(), 2U);
  for (const profiling::timing::FinalistTiming& timing : timings)
    EXPECT_THAT(timing.samples_ns, ElementsAre(1.0, 2.0, 3.0));
}

}  // namespace
}  // namespace warptune::tuner::workers
