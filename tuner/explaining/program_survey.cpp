#include "tuner/explaining/program_survey.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::explaining {

using profiling::tracing::GpuWork;
using profiling::tracing::ProgramRun;
using profiling::tracing::ProgramStep;
using profiling::tracing::ProgramTimeline;
using profiling::tracing::StepKind;
using profiling::tracing::StepMemory;
using profiling::tracing::TimeSpan;
using profiling::tracing::TracedKernel;
using survey::records::CallKind;
using survey::records::CopyDirection;
using survey::records::Index;
using survey::records::Interval;
using survey::records::kNone;
using survey::records::MemoryKind;
using survey::records::Survey;

namespace {

CallKind call_kind(StepKind kind) {
  switch (kind) {
    case StepKind::kLaunch:
    case StepKind::kLibraryCall:
      return CallKind::kLaunch;
    case StepKind::kCopy:
      return CallKind::kCopy;
    case StepKind::kFill:
      return CallKind::kFill;
    case StepKind::kAllocate:
      return CallKind::kAllocation;
    case StepKind::kSynchronise:
      return CallKind::kWait;
    case StepKind::kPrefetch:
    case StepKind::kWait:  // The host does not wait.
      return CallKind::kOther;
  }
  return CallKind::kOther;
}

MemoryKind memory_kind(StepMemory memory) {
  switch (memory) {
    case StepMemory::kDevice:
      return MemoryKind::kDevice;
    case StepMemory::kPinned:
      return MemoryKind::kPinned;
    case StepMemory::kPageable:
      return MemoryKind::kPageable;
    case StepMemory::kManaged:
      return MemoryKind::kManaged;
  }
  return MemoryKind::kUnknown;
}

// The pages of managed memory may be on either side. They count as the GPU's, because a program moves them
// there by prefetches and accesses, and copies to and from the host are the other ones.
CopyDirection direction_of(const ProgramStep& step) {
  const bool from_device = step.from == StepMemory::kDevice || step.from == StepMemory::kManaged;
  const bool to_device = step.to == StepMemory::kDevice || step.to == StepMemory::kManaged;
  if (from_device) return to_device ? CopyDirection::kDeviceToDevice : CopyDirection::kDeviceToHost;
  return to_device ? CopyDirection::kHostToDevice : CopyDirection::kHostToHost;
}

class SurveyMaker {
 public:
  SurveyMaker(const ProgramTimeline& timeline, const model::GpuDescription& gpu) : timeline_(timeline) {
    survey_.devices.push_back({gpu, ""});
    survey::records::Process process;
    process.dropped = static_cast<std::int64_t>(timeline.dropped);
    survey_.processes.push_back(process);
    for (std::size_t i = 0; i < timeline.streams; ++i) {
      survey::records::Stream stream;
      stream.number = static_cast<std::uint32_t>(i);
      survey_.streams.push_back(stream);
    }
    for (const TracedKernel& kernel : timeline.kernels) add_shape(kernel);
  }

  void add(const ProgramRun& run) {
    if (run.work.empty()) return;
    std::int64_t last_work = 0;
    for (const GpuWork& work : run.work) last_work = std::max(last_work, work.time.end_ns);
    // The time in which a spinning kernel holds back the work is not the program's.
    held_ = timeline_.timed_by_host ? 0 : run.work.front().time.start_ns;
    std::int64_t end = last_work;
    const auto first_call = static_cast<Index>(survey_.calls.size());
    calls_of_steps_.assign(timeline_.steps.size(), kNone);
    if (timeline_.graph && !run.calls.empty()) {
      add_call(run.calls.front(), CallKind::kGraphLaunch, "launch of the graph");
      calls_of_steps_.assign(timeline_.steps.size(), first_call);
    }
    for (std::size_t i = 0; !timeline_.graph && i < run.calls.size(); ++i) {
      const StepKind kind = timeline_.steps[i].kind;
      if (kind == StepKind::kSynchronise && run.calls[i].end_ns >= last_work) continue;
      calls_of_steps_[i] = add_call(run.calls[i], call_kind(kind), to_string(kind));
      end = std::max(end, run.calls[i].end_ns);
    }
    for (const GpuWork& work : run.work) add_work(work);
    began_ += end - held_;
  }

  Survey take() {
    survey_.run.window = {0, began_};
    survey_.run.duration = began_;
    survey_.processes.front().time = survey_.run.window;
    return std::move(survey_);
  }

 private:
  Index name_of(std::string_view name) {
    const auto [found, is_new] = names_.try_emplace(std::string(name), static_cast<Index>(names_.size()));
    if (is_new) survey_.names.emplace_back(name);
    return found->second;
  }

  void add_shape(const TracedKernel& kernel) {
    survey::records::KernelShape shape;
    shape.name = name_of(kernel.name);
    shape.grid = kernel.grid;
    shape.block = kernel.block;
    shape.cluster = kernel.cluster;
    shape.registers = kernel.registers;
    shape.static_shared = kernel.static_shared;
    shape.dynamic_shared = kernel.dynamic_shared;
    shape.local_bytes = kernel.local_bytes;
    survey_.shapes.push_back(shape);
  }

  Interval interval(const TimeSpan& time) const {
    return {began_ + std::max<std::int64_t>(0, time.start_ns - held_),
            began_ + std::max<std::int64_t>(0, time.end_ns - held_)};
  }

  Index add_call(const TimeSpan& time, CallKind kind, std::string_view name) {
    survey::records::Call call;
    call.time = interval(time);
    call.name = name_of(name);
    call.kind = kind;
    survey_.calls.push_back(call);
    return static_cast<Index>(survey_.calls.size() - 1);
  }

  void add_work(const GpuWork& work) {
    const ProgramStep& step = timeline_.steps[work.step];
    survey::records::Activity activity;
    activity.time = interval(work.time);
    activity.stream = static_cast<Index>(step.stream);
    activity.call = calls_of_steps_[work.step];
    activity.graph = timeline_.graph ? 1 : 0;
    if (work.kernel) {
      survey_.launches.push_back({activity, static_cast<Index>(*work.kernel)});
    } else if (step.kind == StepKind::kFill) {
      survey_.fills.push_back({activity, step.bytes, memory_kind(step.to)});
    } else {
      const bool pageable = step.from == StepMemory::kPageable || step.to == StepMemory::kPageable;
      survey_.copies.push_back({activity, step.bytes, direction_of(step), memory_kind(step.from),
                                memory_kind(step.to), !pageable});
    }
  }

  const ProgramTimeline& timeline_;
  Survey survey_;
  std::map<std::string, Index> names_;
  std::vector<Index> calls_of_steps_;  // In the current run.
  std::int64_t began_ = 0;             // When the current run began.
  std::int64_t held_ = 0;
};

}  // namespace

Survey survey_of(const ProgramTimeline& timeline, const model::GpuDescription& gpu) {
  SurveyMaker maker(timeline, gpu);
  for (const ProgramRun& run : timeline.runs) maker.add(run);
  return maker.take();
}

}  // namespace warptune::tuner::explaining
