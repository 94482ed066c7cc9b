// What CUPTI says about launches beside their counters, each in a worker of its own.
//
// Lines: in which source lines the launches of a configuration spend their time. The GPU samples the program
// counter, and the samples of each source line are added up.
//
// Steps: what a host program does, on the host and on the GPU, by CUPTI's activity records. The program runs
// repeatedly, each time from restored buffers. Records cost the host time, so these runs are never the timed
// ones.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "profiling/runner_state.h"
#include "profiling/tracing/activity_trace.h"
#include "profiling/tracing/traced_runs.h"

namespace warptune::profiling {

using kernel_templates::CompiledKernel;

namespace {

/// After a round with at least this many samples in total, sampling ends. More would not be worth the time.
constexpr std::uint64_t kEnoughSamples = 20000;
constexpr double kSamplingNs = 2e7;  // The time of all launches in the first round.
constexpr int kMaxSampledLaunches = 2000;

/// Returns log2 of the sampling period in cycles with which all SMs together take about 100,000 samples in
/// `ns`.
unsigned sampling_period_log2(double ns, const model::GpuDescription& gpu) {
  const double cycles = ns * 1e-6 * static_cast<double>(gpu.max_clock_khz) * gpu.sm_count;
  return static_cast<unsigned>(std::clamp(std::log2(std::max(cycles / 1e5, 1.0)), 9.0, 31.0));
}

}  // namespace

HotLines KernelRunner::State::sample_lines(Loaded& loaded, const CompiledKernel& compiled) {
  const auto prepare = [&] {
    restore(loaded);
    if (timer.flushes_each()) timer.flush();
  };
  const double ns = time(loaded).ns;
  int launches = static_cast<int>(std::clamp(kSamplingNs / ns, 1.0, double{kMaxSampledLaunches}));
  counters::PcSampler& sampler = *gpu.sampling.sampler;
  sampler.configure(sampling_period_log2(ns * launches, instance.gpu()));
  std::set<std::string> functions;
  for (const kernel_templates::EntryCode& entry : compiled.entries) functions.insert(entry.lowered_name);
  const auto line_of = [&](const std::string& function, std::uint64_t offset) {
    return source_line(compiled.cubin, function, offset);
  };
  std::vector<InstructionSamples> samples;
  HotLines lines;
  int launched = 0;
  for (int round = 0; round < 3 && lines.samples < kEnoughSamples; ++round, launches *= 4) {
    sampler.start();
    for (int i = 0; i < launches; ++i) {
      prepare();
      launch(loaded);
    }
    synchronise();
    sampler.stop();
    launched += launches;
    for (InstructionSamples& of_one : sampler.take()) {
      if (functions.contains(of_one.function)) samples.push_back(std::move(of_one));
    }
    lines = hot_lines_of(samples, line_of);
  }
  lines.launches = launched;
  lines.dropped = sampler.dropped();
  if (lines.samples == 0) lines.problem = "the GPU took no samples of the kernel";
  return lines;
}

namespace {

// Together, the runs have about this many steps. So the worker's answer stays short.
constexpr std::size_t kTracedSteps = 20000;
constexpr std::size_t kMaxTracedRuns = 1000;
constexpr std::int64_t kTracedNs = 500'000'000;      // The sum of the runs.
constexpr std::int64_t kPreparedNs = 3'000'000'000;  // With what prepares them.

}  // namespace

tracing::ProgramTimeline KernelRunner::State::trace_steps(const model::NamedValues& configuration,
                                                          const CompiledKernel& compiled) {
  tracing::ActivityTrace trace;  // Before the graph is made.
  const auto plan = instance.screened_plan(configuration);
  const auto loaded = load(plan, instance.arguments(configuration), compiled);
  if (!loaded) return tracing::not_traced(loaded.error().reason);
  tracing::ProgramTimeline program = tracing::described_program(*plan, (*loaded)->arguments);
  const std::size_t most =
      std::clamp<std::size_t>(kTracedSteps / std::max<std::size_t>(1, plan->steps.size()), 1, kMaxTracedRuns);
  trace_run(**loaded);  // The first run may still load code.
  std::vector<tracing::NotedRun> noted;
  std::int64_t spent = 0;
  const std::int64_t began = tracing::ActivityTrace::now();
  do {
    noted.push_back(trace_run(**loaded));
    spent += noted.back().time.duration_ns();
  } while (noted.size() < most && spent < kTracedNs && noted.back().time.end_ns - began < kPreparedNs);
  tracing::add_runs(noted, trace.take(), tracing::symbols_of_steps(*plan, compiled), program);
  return program;
}

// A program that is timed by the GPU is held back by a spinning kernel, as when it is timed.
tracing::NotedRun KernelRunner::State::trace_run(Loaded& loaded) {
  using tracing::ActivityTrace;
  restore(loaded);
  if (timer.flushes_each()) timer.flush();
  synchronise();
  tracing::NotedRun run;
  if (!loaded.plan.is_timed_by_host()) gpu.helpers.keep_busy(timing::LaunchTimer::kLongHoldCycles, nullptr);
  run.time.start_ns = ActivityTrace::now();
  loaded.plan.launch_each([&](const std::function<void()>& enqueue) {
    const std::int64_t start = ActivityTrace::now();
    enqueue();
    run.calls.push_back({start, ActivityTrace::now()});
  });
  synchronise();
  run.time.end_ns = ActivityTrace::now();
  return run;
}

}  // namespace warptune::profiling
