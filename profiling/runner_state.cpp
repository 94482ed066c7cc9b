#include "profiling/runner_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/log.h"
#include "model/median.h"
#include "model/own_metrics.h"

namespace warptune::profiling {

using driver::cuda;
using driver::CudaError;
using driver::LoadedPlan;
using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using model::Measurement;
using model::NamedValues;
using model::Status;

namespace {

/// What to read so that nothing else is left in L2. Buffers as large evict each other.
std::size_t flush_bytes(const model::GpuDescription& gpu) {
  return static_cast<std::size_t>(2 * gpu.l2_bytes);
}

/// No more is worth its time.
constexpr std::uint64_t kEnoughSamples = 20000;
constexpr double kSamplingNs = 2e7;  // Of launches, in the first round.
constexpr int kMostSampledLaunches = 2000;

/// A period for some 100,000 samples of all SMs in `ns`, as a power of two.
unsigned sampling_period_log2(double ns, const model::GpuDescription& gpu) {
  const double cycles = ns * 1e-6 * static_cast<double>(gpu.max_clock_khz) * gpu.sm_count;
  return static_cast<unsigned>(std::clamp(std::log2(std::max(cycles / 1e5, 1.0)), 9.0, 31.0));
}

}  // namespace

KernelRunner::State::State(const KernelInstance& kernel_instance, const RunnerOptions& runner_options,
                           PreparedGpu prepared_gpu)
    : instance(kernel_instance),
      options(runner_options),
      prepared(std::move(prepared_gpu)),
      gpu(prepared.parts()),
      warnings(std::exchange(gpu.warnings, {})),
      roofs(model::roofs_of(gpu.roof_readings, instance.gpu())),
      arguments(instance, options.seed, gpu.stream.get(), flush_bytes(instance.gpu())),
      resources(gpu.stream.get()),
      check(instance, arguments, gpu.helpers),
      inputs(arguments, gpu.helpers, check),
      timer(gpu.stream.get(), gpu.helpers,
            options.cache == model::CacheState::kCold ? flush_bytes(instance.gpu()) : 0,
            arguments.footprint_bytes() < flush_bytes(instance.gpu())),
      counting(gpu.context, instance.gpu().chip, options,
               [this] {
                 gpu.helpers.spin(1000);
                 synchronise();
               }),
      energy(gpu.nvml, gpu.stream.get()),
      random(options.seed) {
  options.racing.drop = options.racing.drop && !options.thorough;
  if (options.measure_error) error_meter.emplace(instance.gpu(), gpu.stream.get(), options.compile_cache);
  base::log_debug(fmt::format("buffers of {} bytes, timed from a {} L2 cache, {:.2f} us an event pair",
                              arguments.footprint_bytes(), model::to_string(options.cache),
                              timer.overhead_ns() * 1e-3));
  if (!options.counts_later) counting.start();
}

void KernelRunner::State::note(const CudaError& error) {
  if (!driver::is_sticky(error.code())) return;
  lost = true;
  counting.abandon();
}

void KernelRunner::State::launch(const Loaded& loaded) { loaded.plan.launch(); }

void KernelRunner::State::launch(const ExternalLaunch& external) {
  std::vector<std::uint64_t> buffers;
  for (const driver::DeviceArgument& argument : arguments.all())
    buffers.push_back(argument.is_buffer() ? argument.pointer : 0);
  external.launch(gpu.stream.get(), buffers);
}

// Buffers as the configuration wants them; what they hold is for the caller to restore.
void KernelRunner::State::fit(Loaded& loaded) {
  arguments.fit(loaded.arguments);
  loaded.plan.bind(arguments);
}

void KernelRunner::State::restore(Loaded& loaded) {
  fit(loaded);
  arguments.restore();
}

timing::Sample KernelRunner::State::time(Loaded& loaded, std::uint64_t hold_cycles) {
  return time(
      loaded, [&] { restore(loaded); }, hold_cycles);
}

timing::Sample KernelRunner::State::time(Loaded& loaded, const std::function<void()>& prepare,
                                         std::uint64_t hold_cycles) {
  const auto run = [&] { launch(loaded); };
  if (loaded.plan.is_timed_by_host()) return timer.time_program(prepare, run);
  if (loaded.plan.is_host_program()) hold_cycles = timing::LaunchTimer::kLongHoldCycles;
  return timer.time(prepare, run, hold_cycles);
}

void KernelRunner::State::synchronise() { WARPTUNE_CUDA(cuStreamSynchronize(gpu.stream.get())); }

model::Outcome<std::shared_ptr<KernelRunner::State::Loaded>> KernelRunner::State::load(
    const model::Outcome<kernel_templates::LaunchPlan>& plan, const NamedValues& configuration,
    const CompiledKernel& compiled, bool on_device) {
  if (!plan) return base::failure(plan.error());
  auto resolved = instance.arguments(configuration);
  if (!resolved) return base::failure(resolved.error());
  for (kernel_templates::ResolvedArgument& argument : *resolved) {
    if (on_device) argument.memory = kernel_templates::Memory::kDevice;
  }
  auto loaded =
      LoadedPlan::load(compiled, *plan, instance.gpu(), arguments.parameter_sizes(), *resolved, resources);
  if (!loaded) return base::failure(loaded.error());
  return std::make_shared<Loaded>(Loaded{std::move(*loaded), std::move(*resolved)});
}

// The launch that is verified; the same launch is counted. What it says of the time is a few microseconds
// long.
double KernelRunner::State::launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  // The session keeps what it is given beyond this call: nothing of this frame. Further passes launch again.
  const auto prepare = [this, loaded] { prepare_first(*loaded); };
  const auto first = std::make_shared<double>(0.0);
  const auto counted = [this, loaded, first] {
    const double ns = time_bare_ns(*loaded);
    if (*first > 0.0) return;
    *first = ns;
    counting.expect_of_last(ns);
  };
  if (count_first(id, prepare, counted, *loaded)) return *first;
  return launch_uncounted(*loaded);
}

double KernelRunner::State::launch_uncounted(Loaded& loaded) {
  prepare_first(loaded);
  return time_bare_ns(loaded);
}

void KernelRunner::State::prepare_first(Loaded& loaded) {
  fit(loaded);
  check.prepare();
  timer.flush();  // What preparing wrote is written back before the launch, not in it.
  synchronise();
}

double KernelRunner::State::time_bare_ns(Loaded& loaded) {
  const auto run = [&] { launch(loaded); };
  return loaded.plan.is_timed_by_host() ? timer.time_bare_program_ns(run) : timer.time_bare_ns(run);
}

// What is timed by the host is timed while no session is open, and counted many in one session later: opening
// one takes longer than they do. So is what comes before the first session is opened.
void KernelRunner::State::count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  constexpr std::size_t kMostDeferred = 32;
  if (!counting.active()) return;
  deferred.push_back({id, loaded});
  if (deferred.size() == kMostDeferred) count_deferred();
}

void KernelRunner::State::start_counting() {
  if (counting.has_started()) return;
  counting.start();
  // A program that the host times is counted at the end of its batch: its session would be closed at once.
  if (std::none_of(deferred.begin(), deferred.end(),
                   [](const Deferred& one) { return one.loaded->plan.is_timed_by_host(); }))
    count_deferred();
}

void KernelRunner::State::count_deferred() {
  if (deferred.empty()) return;
  counting.start();
  const std::vector<Deferred> waiting = std::exchange(deferred, {});
  for (const Deferred& one : waiting) launch_first(one.id, one.loaded);
}

// Where the profiler does not bear what a program does, such as launching from a kernel, it goes without
// counters.
bool KernelRunner::State::count_first(std::uint64_t id, const std::function<void()>& prepare,
                                      const std::function<void()>& counted, const Loaded& loaded) {
  try {
    return counting.count(id, prepare, counted);
  } catch (const CudaError& error) {
    const bool may_elude = loaded.plan.may_elude_counting() || !instance.definition().libraries.empty();
    if (!may_elude || driver::is_sticky(error.code())) throw;
    warnings.push_back(
        fmt::format("no hardware counters of a launch that fails while it is counted: {}", error.what()));
    return false;
  }
}

// What the host takes for a launch is not to be that of an open profiler session.
void KernelRunner::State::pause_counting() {
  try {
    counting.pause();
  } catch (const CudaError& error) {  // Of a launch in a further pass.
    if (driver::is_sticky(error.code())) throw;
    warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
  }
}

void KernelRunner::State::measure_energy(Loaded& loaded, Measurement& measurement) {
  if (!energy.available()) {
    if (!told_no_energy) warnings.emplace_back("no energy: NVML has no energy counter for this GPU");
    told_no_energy = true;
    return;
  }
  std::function<void()> prepare;
  double prepare_ns = 0.0;
  if (timer.flushes_each() || arguments.needs_restore()) {
    prepare = [&] {
      restore(loaded);
      if (timer.flushes_each()) timer.flush();
    };
    prepare_ns = timer.time([] {}, prepare).ns;
  }
  const auto reading = energy.measure(
      prepare, [&] { launch(loaded); }, measurement.time.median_ns, prepare_ns);
  if (!reading) return;
  measurement.counters[model::own_metric::kEnergyJ] = reading->joules_per_launch;
  measurement.counters[model::own_metric::kPowerW] = reading->watts;
  measurement.counters[model::own_metric::kEnergyRelativeError] = reading->relative_error;
}

void KernelRunner::State::evaluate(Measurement& measurement, std::uint64_t id, const CompiledKernel& compiled,
                                   double incumbent_ns) {
  const auto reject = [&](Status status, const std::string& reason) {
    measurement.status = status;
    measurement.reason = reason;
  };
  const auto plan = instance.screened_plan(measurement.configuration);
  const auto loaded = load(plan, measurement.configuration, compiled);
  if (!loaded) return reject(loaded.error().status, loaded.error().reason);
  measurement.resources = (*loaded)->plan.resources();
  if (measurement.resources.local_bytes > 0) {  // Without local memory nothing is spilled.
    const auto& code = compiled.find_entry(plan->main_launch()->entry);
    measurement.counters[model::own_metric::kSpillBytes] = static_cast<double>(code.spill_bytes);
  }

  timing::Race race_of_it(options.racing, incumbent_ns);
  const bool by_host = (*loaded)->plan.is_timed_by_host();
  const bool counted_later = by_host || !counting.has_started();
  if (by_host) pause_counting();
  double first_ns = counted_later ? launch_uncounted(**loaded) : launch_first(id, *loaded);
  if (const auto fault = check.verify()) return reject(Status::kWrongResult, *fault);
  if (options.measure_error) measurement.counters.merge(errors());
  if (by_host) first_ns = time(**loaded).ns;  // What the first reads long is not some microseconds.
  race_of_it.add_first(first_ns);
  if (const auto fault = race(race_of_it, **loaded, measurement)) return reject(Status::kWrongResult, *fault);
  const bool dropped = race_of_it.verdict() == timing::RaceVerdict::kDropped;
  if (!race_of_it.samples_ns().empty()) {  // Else the next would be blamed for what these launches did.
    if (const auto fault = check.verify())
      return reject(Status::kWrongResult, "right at first, wrong when repeated: " + *fault);
  }
  if (const auto fault = remembered(measurement.configuration, compiled, new_inputs))
    return reject(Status::kImplausible, *fault);
  add_bytes_to_write(**loaded, measurement);
  measurement.counters[model::own_metric::kFirstLaunchNs] = race_of_it.first_ns();
  measurement.samples_ns = race_of_it.samples_ns();
  if (measurement.samples_ns.empty()) measurement.samples_ns = {race_of_it.first_ns()};
  measurement.time = model::summarise(measurement.samples_ns);
  if (dropped) measurement.time.low_ns = race_of_it.bound_ns();
  measurement.status = dropped ? Status::kDropped : Status::kMeasured;
  measurement.reason.clear();
  judge_time(measurement);
  if (measurement.status == Status::kImplausible) return;
  if (options.measure_energy && !dropped) measure_energy(**loaded, measurement);
  if (counted_later) count_later(id, *loaded);
}

HotLines KernelRunner::State::sample_lines(Loaded& loaded, const CompiledKernel& compiled) {
  const auto prepare = [&] {
    restore(loaded);
    if (timer.flushes_each()) timer.flush();
  };
  const double ns = time(loaded).ns;
  int launches = static_cast<int>(std::clamp(kSamplingNs / ns, 1.0, double{kMostSampledLaunches}));
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
  if (lines.samples == 0) lines.problem = "the GPU gave no samples of the kernel";
  return lines;
}

}  // namespace warptune::profiling
