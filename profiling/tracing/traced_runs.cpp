#include "profiling/tracing/traced_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

namespace warptune::profiling::tracing {

using kernel_templates::BufferRange;
using kernel_templates::CopyStep;
using kernel_templates::FillStep;
using kernel_templates::LaunchPlan;
using kernel_templates::LaunchStep;
using kernel_templates::MatrixProductStep;
using kernel_templates::Memory;
using kernel_templates::PlanStep;
using kernel_templates::ResolvedArgument;
using kernel_templates::WaitStep;

namespace {

StepMemory memory_of(Memory memory) {
  switch (memory) {
    case Memory::kDevice:
      return StepMemory::kDevice;
    case Memory::kPageable:
      return StepMemory::kPageable;
    case Memory::kManaged:
      return StepMemory::kManaged;
    default:
      return StepMemory::kPinned;
  }
}

class StepDescriber {
 public:
  explicit StepDescriber(const std::vector<ResolvedArgument>& arguments) : arguments_(arguments) {}

  ProgramStep describe(const PlanStep& step) const {
    ProgramStep described =
        std::visit([&](const auto& action) { return describe_action(action); }, step.action);
    described.stream = step.stream;
    return described;
  }

 private:
  static ProgramStep step_of(StepKind kind, std::string text, std::int64_t bytes = 0) {
    ProgramStep step;
    step.kind = kind;
    step.text = std::move(text);
    step.bytes = static_cast<std::uint64_t>(bytes);
    return step;
  }
  const ResolvedArgument& buffer(const BufferRange& range) const { return arguments_.at(range.buffer); }

  static ProgramStep describe_action(const LaunchStep& launch) {
    return step_of(StepKind::kLaunch, launch.entry);
  }
  ProgramStep describe_action(const CopyStep& copy) const {
    ProgramStep step =
        step_of(StepKind::kCopy, fmt::format("{} to {}", buffer(copy.from).name, buffer(copy.to).name),
                copy.from.bytes);
    step.from = memory_of(buffer(copy.from).memory);
    step.to = memory_of(buffer(copy.to).memory);
    return step;
  }
  ProgramStep describe_action(const FillStep& fill) const {
    ProgramStep step = step_of(StepKind::kFill, buffer(fill.range).name, fill.range.bytes);
    step.to = memory_of(buffer(fill.range).memory);
    return step;
  }
  ProgramStep describe_action(const kernel_templates::PrefetchStep& prefetch) const {
    return step_of(StepKind::kPrefetch,
                   fmt::format("{} to the {}", buffer(prefetch.range).name,
                               prefetch.to == kernel_templates::PagePlace::kHost ? "host" : "GPU"),
                   prefetch.range.bytes);
  }
  static ProgramStep describe_action(const MatrixProductStep& product) {
    return step_of(StepKind::kLibraryCall,
                   fmt::format("cublas_gemm {}x{}x{}", product.m, product.n, product.k));
  }
  static ProgramStep describe_action(const WaitStep& wait) {
    return step_of(StepKind::kWait, fmt::format("for stream {}", wait.stream));
  }
  static ProgramStep describe_action(const kernel_templates::AllocateStep& allocate) {
    return step_of(
        StepKind::kAllocate,
        allocate.from_pool ? "memory of the pool, freed at once" : "memory of the GPU, freed at once",
        allocate.bytes);
  }
  static ProgramStep describe_action(const kernel_templates::SynchroniseStep&) {
    return step_of(StepKind::kSynchronise, "all streams");
  }

  const std::vector<ResolvedArgument>& arguments_;
};

TimeSpan since(std::int64_t start, const TimeSpan& time) {
  return {time.start_ns - start, time.end_ns - start};
}

// Finds the run and the step of calls.
class NotedCalls {
 public:
  struct Place {
    std::size_t run = 0;
    std::size_t step = 0;
  };

  explicit NotedCalls(const std::vector<NotedRun>& noted) {
    for (std::size_t run = 0; run < noted.size(); ++run) {
      for (std::size_t step = 0; step < noted[run].calls.size(); ++step)
        calls_.push_back({noted[run].calls[step], {run, step}});
    }
  }

  // The steps' calls follow each other, so they are in the order of their times.
  std::optional<Place> place_of(std::int64_t time) const {
    const auto after =
        std::upper_bound(calls_.begin(), calls_.end(), time,
                         [](std::int64_t at, const Call& call) { return at < call.time.start_ns; });
    if (after == calls_.begin()) return std::nullopt;
    const Call& call = *std::prev(after);
    return time <= call.time.end_ns ? std::optional(call.place) : std::nullopt;
  }

 private:
  struct Call {
    TimeSpan time;
    Place place;
  };
  std::vector<Call> calls_;
};

// Managed memory may be on either side.
bool is_at(StepMemory memory, bool on_host) {
  return memory == StepMemory::kManaged || (memory != StepMemory::kDevice) == on_host;
}

bool does_the_same(const ProgramStep& step, const std::string& symbol, const TracedActivity& activity) {
  if (activity.kind == StepKind::kLaunch)
    return step.kind == StepKind::kLaunch && symbol == activity.kernel.name;
  if (step.kind != activity.kind || step.bytes != activity.bytes) return false;
  return step.kind != StepKind::kCopy ||
         (is_at(step.from, activity.from_host) && is_at(step.to, activity.to_host));
}

// From the first beginning to the last end. `work` is in the order of beginnings.
std::int64_t duration_of(const std::vector<GpuWork>& work) {
  std::int64_t end = work.front().time.end_ns;
  for (const GpuWork& one : work) end = std::max(end, one.time.end_ns);
  return end - work.front().time.start_ns;
}

class RunJoiner {
 public:
  RunJoiner(const std::vector<std::string>& symbols, ProgramTimeline& program)
      : symbols_(symbols), program_(program) {
    const auto call = std::find_if(program.steps.begin(), program.steps.end(), [](const ProgramStep& step) {
      return step.kind == StepKind::kLibraryCall;
    });
    if (call != program.steps.end()) first_call_ = static_cast<std::size_t>(call - program.steps.begin());
  }

  void add(const NotedRun& noted, std::vector<const TracedActivity*> activities,
           const std::unordered_map<std::uint32_t, std::size_t>& steps) {
    std::stable_sort(
        activities.begin(), activities.end(),
        [](const TracedActivity* a, const TracedActivity* b) { return a->time.start_ns < b->time.start_ns; });
    const std::int64_t start = noted.time.start_ns;
    ProgramRun run;
    run.duration_ns = noted.time.duration_ns();
    for (const TimeSpan& call : noted.calls) run.calls.push_back(since(start, call));
    has_work_.assign(program_.steps.size(), false);
    first_without_ = 0;
    for (const TracedActivity* activity : activities) {
      const std::optional<std::size_t> step =
          program_.graph ? step_of_node(*activity) : steps.at(activity->correlation);
      if (!step) {
        ++program_.dropped;
        continue;
      }
      run.work.push_back({*step, kernel_of(*activity), since(start, activity->time)});
    }
    if (!program_.timed_by_host && !run.work.empty()) run.duration_ns = duration_of(run.work);
    program_.runs.push_back(std::move(run));
  }

 private:
  std::optional<std::size_t> step_of_node(const TracedActivity& activity) {
    while (first_without_ < has_work_.size() && has_work_[first_without_]) ++first_without_;
    for (std::size_t i = first_without_; i < program_.steps.size(); ++i) {
      if (has_work_[i] || !does_the_same(program_.steps[i], symbols_[i], activity)) continue;
      has_work_[i] = true;
      return i;
    }
    return first_call_;  // A call of a library may launch any kernels, and copy and fill.
  }

  std::optional<std::size_t> kernel_of(const TracedActivity& activity) {
    if (activity.kind != StepKind::kLaunch) return std::nullopt;
    auto& kernels = program_.kernels;
    const auto found = std::find(kernels.begin(), kernels.end(), activity.kernel);
    if (found != kernels.end()) return static_cast<std::size_t>(found - kernels.begin());
    kernels.push_back(activity.kernel);
    return kernels.size() - 1;
  }

  const std::vector<std::string>& symbols_;
  ProgramTimeline& program_;
  std::optional<std::size_t> first_call_;
  std::vector<bool> has_work_;  // By step, in the current run.
  std::size_t first_without_ = 0;
};

}  // namespace

ProgramTimeline described_program(const LaunchPlan& plan, const std::vector<ResolvedArgument>& arguments) {
  ProgramTimeline program;
  program.streams = plan.streams;
  program.graph = plan.graph;
  program.timed_by_host = plan.timed_by_host;
  const StepDescriber describer(arguments);
  program.steps.reserve(plan.steps.size());
  for (const PlanStep& step : plan.steps) program.steps.push_back(describer.describe(step));
  return program;
}

std::vector<std::string> symbols_of_steps(const LaunchPlan& plan,
                                          const kernel_templates::CompiledKernel& compiled) {
  std::vector<std::string> symbols(plan.steps.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (const LaunchStep* launch = plan.steps[i].launch(); launch != nullptr)
      symbols[i] = compiled.find_entry(launch->entry).lowered_name;
  }
  return symbols;
}

void add_runs(const std::vector<NotedRun>& noted, const TraceRecords& records,
              const std::vector<std::string>& symbols, ProgramTimeline& program) {
  program.dropped += records.dropped;
  const NotedCalls calls(noted);
  std::unordered_map<std::uint32_t, std::size_t> runs;
  std::unordered_map<std::uint32_t, std::size_t> steps;
  for (const TracedCall& call : records.calls) {
    const std::optional<NotedCalls::Place> place = calls.place_of(call.time.start_ns);
    if (!place) continue;
    runs[call.correlation] = place->run;
    steps[call.correlation] = place->step;
  }
  std::vector<std::vector<const TracedActivity*>> by_run(noted.size());
  for (const TracedActivity& activity : records.activities) {
    if (const auto run = runs.find(activity.correlation); run != runs.end())
      by_run[run->second].push_back(&activity);
  }
  RunJoiner joiner(symbols, program);
  for (std::size_t run = 0; run < noted.size(); ++run) joiner.add(noted[run], std::move(by_run[run]), steps);
}

}  // namespace warptune::profiling::tracing
