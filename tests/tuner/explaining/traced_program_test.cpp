#include "tuner/explaining/traced_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "profiling/gpu.h"
#include "tests/survey/imagined_programs.h"
#include "tests/tuner/session_data.h"
#include "tuner/text_output/surveys/program_steps_text.h"

namespace warptune::tuner::explaining {
namespace {

namespace records = survey::records;
using profiling::tracing::ProgramRun;
using profiling::tracing::ProgramStep;
using profiling::tracing::ProgramTimeline;
using profiling::tracing::StepKind;
using profiling::tracing::StepMemory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using ::testing::SizeIs;

// The rules of issue 23 for host programs.
const std::vector<std::string> kRules = {"pageable_copies", "small_copies",  "copy_bound",
                                         "host_waits",      "launch_bound",  "allocation_in_loop",
                                         "serial_streams",  "serial_kernels"};

StepKind kind_of(records::CallKind kind) {
  switch (kind) {
    case records::CallKind::kLaunch:
      return StepKind::kLaunch;
    case records::CallKind::kCopy:
      return StepKind::kCopy;
    case records::CallKind::kFill:
      return StepKind::kFill;
    case records::CallKind::kWait:
      return StepKind::kSynchronise;
    default:
      return StepKind::kAllocate;
  }
}

StepMemory memory_of(records::MemoryKind kind) {
  if (kind == records::MemoryKind::kPageable) return StepMemory::kPageable;
  return kind == records::MemoryKind::kPinned ? StepMemory::kPinned : StepMemory::kDevice;
}

// An imagined program as a host program: each call is a step. It runs twice.
ProgramTimeline as_host_program(const records::Survey& survey) {
  ProgramTimeline timeline;
  timeline.timed_by_host = true;
  timeline.streams = survey.streams.size();
  for (const records::KernelShape& shape : survey.shapes) {
    profiling::tracing::TracedKernel kernel;
    kernel.name = survey.names[shape.name];
    kernel.grid = shape.grid;
    kernel.block = shape.block;
    kernel.registers = shape.registers;
    timeline.kernels.push_back(kernel);
  }
  ProgramRun run;
  run.duration_ns = survey.run.duration;
  for (const records::Call& call : survey.calls) {
    ProgramStep step;
    step.kind = kind_of(call.kind);
    step.text = survey.names[call.name];
    timeline.steps.push_back(step);
    run.calls.push_back({call.time.start, call.time.end});
  }
  for (const records::Launch& launch : survey.launches) {
    timeline.steps[launch.call].stream = launch.stream;
    run.work.push_back({launch.call, launch.shape, {launch.time.start, launch.time.end}});
  }
  for (const records::Copy& copy : survey.copies) {
    ProgramStep& step = timeline.steps[copy.call];
    step.stream = copy.stream;
    step.bytes = copy.bytes;
    step.from = memory_of(copy.source);
    step.to = memory_of(copy.destination);
    run.work.push_back({copy.call, std::nullopt, {copy.time.start, copy.time.end}});
  }
  std::stable_sort(run.work.begin(), run.work.end(),
                   [](const auto& a, const auto& b) { return a.time.start_ns < b.time.start_ns; });
  timeline.runs = {run, run};
  return timeline;
}

TracedProgram traced(const records::Survey& survey) {
  ProgramTimeline timeline = as_host_program(survey);
  EXPECT_TRUE(is_consistent(timeline));
  return analysed(std::move(timeline), model::fictional_gpu(), {});
}

TEST(HostProgramFindings, NameThePlantedFaultFirstAndNoneOfItsSibling) {
  std::vector<std::string> found;
  for (const survey::ImaginedProgram& program : survey::imagined_programs()) {
    const TracedProgram planted = traced(program.run(true));
    const std::string text = text_output::surveys::program_steps_text(planted, 0.0, program.fault);
    if (std::find(kRules.begin(), kRules.end(), program.fault) != kRules.end()) {
      ASSERT_FALSE(planted.findings.empty()) << text;
      EXPECT_EQ(planted.findings.front().rule, program.fault) << text;
      EXPECT_GT(planted.findings.front().bound, 1.25) << text;
      found.push_back(program.fault);
    }
    for (const survey::analysis::Finding& finding : planted.findings)
      EXPECT_THAT(kRules, ::testing::Contains(finding.rule)) << text;
    const TracedProgram clean = traced(program.run(false));
    EXPECT_THAT(clean.findings, IsEmpty())
        << text_output::surveys::program_steps_text(clean, 0.0, program.fault);
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(kRules));
}

TEST(HostProgramFindings, SayWhatALaunchTakesHereIfThatWasMeasured) {
  for (const survey::ImaginedProgram& program : survey::imagined_programs()) {
    if (program.fault != "launch_bound") continue;
    const TracedProgram planted =
        analysed(as_host_program(program.run(true)), model::fictional_gpu(), {std::nullopt, 2.76e-6});
    EXPECT_THAT(planted.findings.front().evidence,
                ::testing::Contains(HasSubstr("launches of an empty kernel takes 2.76 us")));
  }
}

// Two kernels of 100 on two streams that overlap by 40, and a wait for all of them.
ProgramTimeline overlapping(bool by_host) {
  ProgramTimeline timeline;
  timeline.timed_by_host = by_host;
  timeline.streams = 2;
  timeline.kernels.resize(1);
  timeline.steps = {{StepKind::kLaunch, "k", 0, 0},
                    {StepKind::kLaunch, "k", 1, 0},
                    {StepKind::kSynchronise, "all streams", 0, 0}};
  ProgramRun run{250, {{0, 10}, {10, 20}, {20, 240}}, {}};
  run.work = {{0, 0, {50, 150}}, {1, 0, {110, 210}}};
  timeline.runs.assign(3, run);
  timeline.runs[1].duration_ns = 240;
  return timeline;
}

TEST(TracedPrograms, JoinStepsThatDoTheSameAndSayWhatRanAlone) {
  const TracedProgram program = analysed(overlapping(true), model::fictional_gpu(), {});
  ASSERT_THAT(program.groups, SizeIs(2));
  EXPECT_EQ(program.groups[0].count, 2U);
  EXPECT_THAT(program.groups[0].streams, ElementsAre(0, 1));
  EXPECT_EQ(program.groups[0].host_ns, 20);
  EXPECT_EQ(program.groups[0].gpu_ns, 200);
  EXPECT_EQ(program.groups[0].alone_ns, 120);
  EXPECT_EQ(program.groups[1].host_ns, 220);
  EXPECT_EQ(program.typical_run().duration_ns, 250);
}

// The last wait, which any caller would need, does not count. Nor does the time before a program that the GPU
// times.
TEST(TracedPrograms, AreJoinedWithoutWhatEveryCallerDoes) {
  const TracedProgram by_host = analysed(overlapping(true), model::fictional_gpu(), {});
  ASSERT_TRUE(by_host.time);
  EXPECT_EQ(by_host.time->window, 3 * 210);
  EXPECT_EQ(by_host.time->kernels, 3 * 160);
  EXPECT_EQ(by_host.time->overlapped, 3 * 40);
  const TracedProgram by_gpu = analysed(overlapping(false), model::fictional_gpu(), {});
  EXPECT_EQ(by_gpu.time->window, 3 * 160);
  EXPECT_EQ(by_gpu.time->kernels, 3 * 160);
}

TEST(TracedPrograms, WhoseIndicesOrTimesDoNotFitAreRefused) {
  EXPECT_TRUE(is_consistent(overlapping(true)));
  EXPECT_FALSE(is_consistent({}));
  const auto refused = [](const auto& change) {
    ProgramTimeline timeline = overlapping(true);
    change(timeline);
    return !is_consistent(timeline);
  };
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].work[0].step = 3; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].work[0].kernel = 1; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].work[0].time.end_ns = 49; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].work[1].time.start_ns = 49; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].work[1].time.end_ns = INT64_MAX; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].calls.pop_back(); }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].calls[1].start_ns = 9; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.steps[1].stream = 2; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.streams = 65; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].duration_ns = -1; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs[0].duration_ns = INT64_MAX; }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.runs.resize(1001, all.runs[0]); }));
  EXPECT_TRUE(refused([](ProgramTimeline& all) { all.problem = "none"; }));
}

std::filesystem::path test_program(const std::string& name) {
  const char* const folder = std::getenv("WARPTUNE_PROFILING_TEST_DATA");
  return std::filesystem::path(folder != nullptr ? folder : WARPTUNE_PROFILING_TEST_DATA) / (name + ".cu");
}

class TraceProgramTest : public ::testing::Test {
 protected:
  TracedProgram trace() const { return trace_program(instance_, instance_.default_configuration(), {}); }

  ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  kernel_templates::KernelInstance instance_{
      kernel_templates::load_kernel(test_program("host_pipeline").string()), {}, model::fictional_gpu()};
};

TEST_F(TraceProgramTest, TheStepsOfAWorkerAreAnalysed) {
  ASSERT_TRUE(is_host_program(instance_));
  const TracedProgram program = trace();
  EXPECT_EQ(program.timeline.problem, "");
  EXPECT_THAT(program.timeline.runs, SizeIs(10));
  ASSERT_FALSE(program.findings.empty());
  EXPECT_EQ(program.findings.front().rule, "pageable_copies");
}

TEST_F(TraceProgramTest, AWorkerThatDiesOrSendsNonsenseIsTheReasonWhyThereAreNone) {
  {
    const ScopedVariable dies("FAKE_TRACING_DIES", "1");
    EXPECT_THAT(trace().timeline.problem, HasSubstr("the tracing GPU worker ended"));
  }
  const ScopedVariable wrong("FAKE_TRACE_IS_WRONG", "1");
  EXPECT_THAT(trace().timeline.problem, HasSubstr("unexpected reply"));
  EXPECT_THAT(text_output::surveys::program_steps_text(trace(), 0.0, "Steps"), HasSubstr("not recorded"));
}

// The definition has each fault, and its sibling without it.
class GpuTracedProgramTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuTracedProgramTest, NamesThePlantedFaultFirstAndNoneOfItsSibling) {
  const profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty()) GTEST_SKIP() << list.reason;
  const kernel_templates::KernelInstance instance(
      kernel_templates::load_kernel(test_program("host_faults").string()), {}, list.gpus.front());
  const auto trace = [&](std::int64_t planted) {
    TracedProgram program = trace_program(instance, {{"FAULT", GetParam()}, {"PLANTED", planted}}, {});
    std::cout << text_output::surveys::program_steps_text(program, 0.0, GetParam());
    return program;
  };
  const TracedProgram planted = trace(1);
  ASSERT_EQ(planted.timeline.problem, "");
  ASSERT_FALSE(planted.findings.empty());
  EXPECT_EQ(planted.findings.front().rule, GetParam());
  const TracedProgram clean = trace(0);
  EXPECT_EQ(clean.timeline.problem, "");
  EXPECT_THAT(clean.findings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(GpuPrograms, GpuTracedProgramTest, ::testing::ValuesIn(kRules),
                         [](const auto& rule) { return rule.param; });

}  // namespace
}  // namespace warptune::tuner::explaining
