#include "profiling/tracing/traced_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HostPipeline {
 public:
  explicit HostPipeline(const model::NamedValues& changes)
      : instance_(load_test_kernel("host_pipeline"), {}, model::fictional_gpu()) {
    const model::NamedValues configuration = with(instance_, changes);
    plan_ = instance_.launch_plan(configuration).value();
    arguments_ = instance_.arguments(configuration).value();
  }
  ProgramTimeline described() const { return described_program(plan_, arguments_); }

 private:
  kernel_templates::KernelInstance instance_;
  kernel_templates::LaunchPlan plan_;
  std::vector<kernel_templates::ResolvedArgument> arguments_;
};

TEST(DescribedProgram, HasTheBuffersBytesAndStreamsOfItsSteps) {
  const ProgramTimeline program =
      HostPipeline(
          {{"STREAMS", std::int64_t{2}}, {"CHUNKS", std::int64_t{7}}, {"MEMORY", std::string("pageable")}})
          .described();
  EXPECT_EQ(program.streams, 2U);
  EXPECT_FALSE(program.graph);
  EXPECT_TRUE(program.timed_by_host);
  ASSERT_THAT(program.steps, SizeIs(21));
  const ProgramStep in{StepKind::kCopy, "x_host to x", 0, 571432, StepMemory::kPageable, StepMemory::kDevice};
  EXPECT_EQ(program.steps[0], in);
  EXPECT_EQ(program.steps[1].kind, StepKind::kLaunch);
  EXPECT_EQ(program.steps[1].text, "twice");
  EXPECT_EQ(program.steps[3].stream, 1U);
  EXPECT_EQ(program.steps[5].to, StepMemory::kPageable);
  EXPECT_THAT(program.runs, IsEmpty());
}

TEST(DescribedProgram, HasPrefetchesAndTheMemoryOfItsCopies) {
  const ProgramTimeline program = HostPipeline({{"MEMORY", std::string("managed")}}).described();
  EXPECT_EQ(program.steps.front().from, StepMemory::kManaged);
  EXPECT_EQ(HostPipeline({{"MEMORY", std::string("write_combined")}}).described().steps.front().from,
            StepMemory::kPinned);
  const kernel_templates::KernelInstance instance(load_test_kernel("managed"), {}, model::fictional_gpu());
  const model::NamedValues configuration = with(instance, {{"PREFETCH", true}});
  const ProgramTimeline prefetching = described_program(instance.launch_plan(configuration).value(),
                                                        instance.arguments(configuration).value());
  const ProgramStep there{StepKind::kPrefetch, "x to the GPU", 0, 16777216};
  const ProgramStep back{StepKind::kPrefetch, "y to the host", 0, 8388608};
  EXPECT_EQ(prefetching.steps.front(), there);
  EXPECT_EQ(prefetching.steps.back(), back);
}

// Two steps: a copy, and a launch that is one of two kernels' symbols.
ProgramTimeline two_steps(bool graph) {
  ProgramTimeline program;
  program.graph = graph;
  program.timed_by_host = true;
  program.steps = {{StepKind::kCopy, "a to b", 0, 64}, {StepKind::kLaunch, "k", 0, 0}};
  return program;
}

TracedActivity kernel(std::uint32_t correlation, const std::string& name, TimeSpan time) {
  TracedActivity activity;
  activity.correlation = correlation;
  activity.time = time;
  activity.kernel.name = name;
  return activity;
}

TEST(AddedRuns, GiveEachStepTheWorkOfItsCall) {
  ProgramTimeline program = two_steps(false);
  TraceRecords records;
  // Call 1 prepares the run. CUPTI lists a call of the runtime and the driver's call within it.
  records.calls = {{1, {50, 60}},   {2, {110, 118}}, {3, {121, 139}},
                   {4, {125, 130}}, {5, {310, 320}}, {6, {330, 340}}};
  records.activities = {kernel(4, "k", {150, 180}),
                        {StepKind::kCopy, 2, {120, 140}, 64},
                        {StepKind::kCopy, 1, {55, 70}, 8},
                        {StepKind::kCopy, 5, {325, 330}, 64},
                        kernel(6, "k", {345, 350})};
  records.dropped = 3;
  add_runs({{{100, 200}, {{105, 120}, {120, 140}}}, {{300, 400}, {{305, 325}, {325, 345}}}}, records,
           {"", "k"}, program);
  EXPECT_EQ(program.dropped, 3U);
  ASSERT_THAT(program.runs, SizeIs(2));
  const ProgramRun& run = program.runs[0];
  EXPECT_EQ(run.duration_ns, 100);
  EXPECT_THAT(run.calls, ElementsAre(TimeSpan{5, 20}, TimeSpan{20, 40}));
  EXPECT_THAT(run.work, ElementsAre(GpuWork{0, std::nullopt, {20, 40}}, GpuWork{1, 0, {50, 80}}));
  EXPECT_THAT(program.runs[1].work, ElementsAre(GpuWork{0, std::nullopt, {25, 30}}, GpuWork{1, 0, {45, 50}}));
  EXPECT_THAT(program.kernels, SizeIs(1));
}

// All nodes of a graph have the number of its launch.
TEST(AddedRuns, GiveANodeOfAGraphTheFirstStepThatDoesTheSame) {
  ProgramTimeline program = two_steps(true);
  program.steps.push_back({StepKind::kLaunch, "other", 0, 0});
  program.steps.push_back({StepKind::kLaunch, "k", 1, 0});
  program.steps.push_back({StepKind::kCopy, "b to a", 0, 64, StepMemory::kDevice, StepMemory::kPinned});
  TraceRecords records;
  records.calls = {{9, {101, 103}}};
  records.activities = {
      kernel(9, "k", {150, 160}),           kernel(9, "k", {170, 180}),
      kernel(9, "other", {140, 145}),       {StepKind::kCopy, 9, {110, 115}, 64, false, true},
      {StepKind::kCopy, 9, {120, 130}, 64}, kernel(9, "stranger", {185, 186})};
  add_runs({{{100, 200}, {{100, 104}}}}, records, {"", "k", "other", "k", ""}, program);
  EXPECT_EQ(program.dropped, 1U);
  ASSERT_THAT(program.runs, SizeIs(1));
  std::vector<std::size_t> steps;
  for (const GpuWork& work : program.runs[0].work) steps.push_back(work.step);
  EXPECT_THAT(steps, ElementsAre(4, 0, 2, 1, 3));
}

// CUPTI may report managed memory on either side.
TEST(AddedRuns, GiveACopyOfManagedMemoryInAGraphItsStep) {
  ProgramTimeline program = two_steps(true);
  program.steps.front().from = StepMemory::kManaged;
  TraceRecords records;
  records.calls = {{9, {101, 103}}};
  for (const bool from_host : {false, true}) {
    records.activities = {{StepKind::kCopy, 9, {120, 130}, 64, from_host, false},
                          {StepKind::kCopy, 9, {140, 150}, 64, from_host, true}};
    program.dropped = 0;
    program.runs.clear();
    add_runs({{{100, 200}, {{100, 104}}}}, records, {"", "k"}, program);
    EXPECT_EQ(program.runs.at(0).work.size(), 1U) << from_host;
    EXPECT_EQ(program.dropped, 1U) << "the other copy goes to the host";
  }
}

TEST(AddedRuns, GiveWhatNoStepOfAGraphDoesToItsFirstCall) {
  ProgramTimeline program = two_steps(true);
  program.steps.insert(program.steps.begin(), {StepKind::kLibraryCall, "gemm", 0, 0});
  TraceRecords records;
  records.calls = {{9, {101, 103}}};
  records.activities = {kernel(9, "gemm_kernel", {110, 120}),
                        {StepKind::kFill, 9, {121, 122}, 8},
                        {StepKind::kCopy, 9, {125, 130}, 64},
                        kernel(9, "k", {150, 160})};
  add_runs({{{100, 200}, {{100, 104}}}}, records, {"", "", "k"}, program);
  EXPECT_EQ(program.dropped, 0U);
  std::vector<std::size_t> steps;
  for (const GpuWork& work : program.runs.at(0).work) steps.push_back(work.step);
  EXPECT_THAT(steps, ElementsAre(0, 0, 1, 2));
}

// The GPU is held back until all work is submitted. The duration does not include this.
TEST(AddedRuns, LastAsLongAsTheirWorkIfTheGpuTimesThem) {
  ProgramTimeline program = two_steps(false);
  program.timed_by_host = false;
  TraceRecords records;
  records.calls = {{2, {105, 106}}, {3, {125, 126}}};
  records.activities = {{StepKind::kCopy, 2, {150, 170}, 64}, kernel(3, "k", {175, 180})};
  add_runs({{{100, 200}, {{104, 120}, {120, 140}}}}, records, {"", "k"}, program);
  EXPECT_EQ(program.runs.at(0).duration_ns, 30);
}

}  // namespace
}  // namespace warptune::profiling::tracing
