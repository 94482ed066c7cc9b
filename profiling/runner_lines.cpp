// Finds out in which source lines the launches of a configuration spend their time. The GPU samples the
// program counter, and the samples of each source line are added up.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "profiling/runner_state.h"

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

}  // namespace warptune::profiling
