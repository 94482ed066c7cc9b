#include "tuner/explaining/traced_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/explaining/program_survey.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::explaining {

using profiling::tracing::GpuWork;
using profiling::tracing::ProgramRun;
using profiling::tracing::ProgramStep;
using profiling::tracing::ProgramTimeline;
using profiling::tracing::TimeSpan;

namespace {

constexpr std::chrono::seconds kTracedCompileDeadline{60};
constexpr int kTracingTimeoutMs = 180000;  // The worker also fills the buffers in this time.

TracedProgram untraced(std::string why) {
  TracedProgram program;
  program.timeline = profiling::tracing::not_traced(std::move(why));
  return program;
}

std::size_t run_of_median_duration(const std::vector<ProgramRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a].duration_ns < runs[b].duration_ns; });
  return *middle;
}

// How long nothing else ran during each work of a run.
std::vector<std::int64_t> alone_of(const std::vector<GpuWork>& work) {
  struct Change {
    std::int64_t time = 0;
    bool begins = false;
    std::size_t index = 0;
  };
  std::vector<Change> changes;
  changes.reserve(2 * work.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    changes.push_back({work[i].time.start_ns, true, i});
    changes.push_back({work[i].time.end_ns, false, i});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  std::vector<std::int64_t> alone(work.size(), 0);
  std::set<std::size_t> running;
  std::int64_t before = 0;
  for (const Change& change : changes) {
    if (running.size() == 1) alone[*running.begin()] += change.time - before;
    before = change.time;
    if (change.begins)
      running.insert(change.index);
    else
      running.erase(change.index);
  }
  return alone;
}

std::vector<StepGroup> groups_of(const ProgramTimeline& timeline, const ProgramRun& run) {
  std::vector<StepGroup> groups;
  std::map<std::pair<profiling::tracing::StepKind, std::string>, std::size_t> places;
  std::vector<std::size_t> group_of_step;
  group_of_step.reserve(timeline.steps.size());
  for (std::size_t i = 0; i < timeline.steps.size(); ++i) {
    const ProgramStep& step = timeline.steps[i];
    const auto [place, is_new] = places.try_emplace({step.kind, step.text}, groups.size());
    if (is_new) {
      StepGroup group;
      group.kind = step.kind;
      group.text = step.text;
      groups.push_back(std::move(group));
    }
    StepGroup& group = groups[place->second];
    ++group.count;
    group.streams.insert(step.stream);
    group.bytes += step.bytes;
    if (!timeline.graph) group.host_ns += run.calls[i].duration_ns();
    group_of_step.push_back(place->second);
  }
  const std::vector<std::int64_t> alone = alone_of(run.work);
  for (std::size_t i = 0; i < run.work.size(); ++i) {
    StepGroup& group = groups[group_of_step[run.work[i].step]];
    group.gpu_ns += run.work[i].time.duration_ns();
    group.alone_ns += alone[i];
  }
  return groups;
}

// Sums of all times of all runs stay in the range of 64 bits with these limits.
constexpr std::int64_t kLongest = std::int64_t{1} << 40;  // 18 minutes
constexpr std::size_t kMaxWork = std::size_t{1} << 22;    // In all runs.
constexpr std::size_t kMaxRuns = 1000;

bool is_in_order(const TimeSpan& time) {
  return time.start_ns <= time.end_ns && time.start_ns > -kLongest && time.end_ns < kLongest;
}

bool is_consistent_run(const ProgramTimeline& timeline, const ProgramRun& run) {
  if (run.duration_ns < 0 || run.duration_ns >= kLongest) return false;
  if (run.calls.size() != (timeline.graph ? 1 : timeline.steps.size())) return false;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const bool follows = i == 0 || run.calls[i - 1].end_ns <= run.calls[i].start_ns;
    if (!is_in_order(run.calls[i]) || run.calls[i].start_ns < 0 || !follows) return false;
  }
  for (std::size_t i = 0; i < run.work.size(); ++i) {
    const GpuWork& work = run.work[i];
    const bool follows = i == 0 || run.work[i - 1].time.start_ns <= work.time.start_ns;
    const bool has_kernel = !work.kernel || *work.kernel < timeline.kernels.size();
    if (work.step >= timeline.steps.size() || !has_kernel || !is_in_order(work.time) || !follows)
      return false;
  }
  return true;
}

}  // namespace

bool is_consistent(const ProgramTimeline& timeline) {
  constexpr std::size_t kMaxStreams = 64;
  if (timeline.streams < 1 || timeline.streams > kMaxStreams) return false;
  if (timeline.runs.empty() == timeline.problem.empty() || timeline.runs.size() > kMaxRuns) return false;
  std::size_t work = 0;
  for (const ProgramRun& run : timeline.runs) work += run.work.size();
  if (work > kMaxWork) return false;
  return std::all_of(timeline.steps.begin(), timeline.steps.end(),
                     [&](const ProgramStep& step) { return step.stream < timeline.streams; }) &&
         std::all_of(timeline.runs.begin(), timeline.runs.end(),
                     [&](const ProgramRun& run) { return is_consistent_run(timeline, run); });
}

TracedProgram analysed(ProgramTimeline timeline, const model::GpuDescription& gpu,
                       const profiling::roofs::MeasuredHost& host) {
  TracedProgram program;
  program.timeline = std::move(timeline);
  if (program.timeline.runs.empty()) return program;
  program.typical = run_of_median_duration(program.timeline.runs);
  program.groups = groups_of(program.timeline, program.typical_run());
  survey::analysis::AnalysisOptions options;
  options.host_link_bytes_per_s = host.link_bytes_per_s;
  options.launch_s = host.launch_s;
  options.host_program = true;
  survey::analysis::SurveyAnalysis analysis =
      survey::analysis::analyse(survey_of(program.timeline, gpu), options);
  if (!analysis.devices.empty()) program.time = analysis.devices.front();
  program.findings = std::move(analysis.findings);
  return program;
}

bool is_host_program(const kernel_templates::KernelInstance& instance) {
  return instance.definition().host.has_value();
}

TracedProgram trace_program(const kernel_templates::KernelInstance& instance,
                            const model::NamedValues& configuration, const TracingOptions& options) {
  try {
    auto request = instance.compile_request(configuration);
    if (!request) return untraced(request.error().reason);
    workers::compiling::CompilePool pool(1, kTracedCompileDeadline, options.measuring.compile_cache);
    auto compiled = std::move(pool.compile_all({std::move(*request)}).front());
    if (!compiled) return untraced(compiled.error().reason);
    processes::WorkerProcess process(fmt::format("gpu {}", options.ordinal));
    process.channel().send(protocol::TraceSteps{
        std::filesystem::absolute(instance.definition().path).string(),
        instance.definition().scope.permissions().readable, instance.problem(), instance.gpu(),
        options.ordinal, options.measuring, configuration, std::move(*compiled)});
    std::optional<protocol::Message> reply = process.channel().receive(kTracingTimeoutMs);
    if (!reply) return untraced("the tracing GPU worker ended: " + process.end());
    if (const auto* failure = std::get_if<protocol::Failure>(&*reply)) protocol::throw_failure(*failure);
    auto* const traced = std::get_if<protocol::StepsTraced>(&*reply);
    if (traced == nullptr || !is_consistent(traced->program))
      return untraced("the tracing GPU worker sent an unexpected reply");
    return analysed(std::move(traced->program), instance.gpu(), options.host);
  } catch (const base::Error& error) {
    return untraced(error.what());
  }
}

}  // namespace warptune::tuner::explaining
