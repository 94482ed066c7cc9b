// Steps that CUPTI records on a GPU. A process can record once, so there is one test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>

#include "profiling/kernel_runner.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::tracing {
namespace {

class GpuTracedProgramTest : public GpuTest {};

TEST_F(GpuTracedProgramTest, HasTheWorkOfEveryStepInEveryRun) {
  RunnerUnderTest program("host_pipeline", {}, without_counters());
  const model::NamedValues configuration =
      with(program.instance(), {{"STREAMS", std::int64_t{2}}, {"CHUNKS", std::int64_t{7}}});
  const ProgramTimeline timeline =
      program.runner().trace_steps(configuration, program.compile(configuration));
  ASSERT_EQ(timeline.problem, "");
  EXPECT_EQ(timeline.dropped, 0U);
  ASSERT_EQ(timeline.steps.size(), 21U);
  ASSERT_GT(timeline.runs.size(), 1U);
  for (const ProgramRun& run : timeline.runs) {
    std::set<std::size_t> steps;
    for (const GpuWork& work : run.work) {
      steps.insert(work.step);
      EXPECT_GE(work.time.start_ns, run.calls[work.step].start_ns);
      EXPECT_LE(work.time.end_ns, run.duration_ns);
      EXPECT_EQ(work.kernel.has_value(), timeline.steps[work.step].kind == StepKind::kLaunch);
    }
    EXPECT_EQ(steps.size(), timeline.steps.size());
  }
  std::cout << timeline.runs.size() << " runs, the last of " << timeline.runs.back().duration_ns << " ns\n";
}

}  // namespace
}  // namespace warptune::profiling::tracing
