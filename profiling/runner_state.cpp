// The steps of one evaluation.
//
// A configuration is loaded and screened, launched once and verified. Then it races against the incumbent.
// After the race its outputs are verified again, and its time is compared with plausibility bounds. An error
// in any step rejects the configuration with a reason. A configuration that the race drops is stored with a
// lower bound of its time.
//
// The other files of the runner have one topic each. runner_counting.cpp: when hardware events
// are counted. runner_verification.cpp: how launches are verified. runner_plausibility.cpp: whether their
// times are possible. runner_finals.cpp: the finals. runner_traces.cpp: sampled source lines and
// traced steps.
#include "profiling/runner_state.h"

#include <fmt/format.h>

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

/// Returns the number of bytes that a flush must read so that nothing else is left in the L2. It is also the
/// size from which on the buffers of a launch evict each other, so that no flush is needed.
std::size_t flush_bytes(const model::GpuDescription& gpu) {
  return static_cast<std::size_t>(2 * gpu.l2_bytes);
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
            options.cache != model::CacheState::kWarm ? flush_bytes(instance.gpu()) : 0,
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
  if (!options.defer_counting) counting.start();
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

// Adapts the buffers to the configuration. The caller restores their contents.
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
                                         std::uint64_t hold_cycles, timing::Repeat repeat) {
  const auto run = [&] { launch(loaded); };
  if (loaded.plan.is_timed_by_host()) return timer.time_program(prepare, run, repeat);
  if (loaded.plan.is_host_program()) hold_cycles = timing::LaunchTimer::kLongHoldCycles;
  return timer.time(prepare, run, hold_cycles, repeat);
}

void KernelRunner::State::synchronise() { WARPTUNE_CUDA(cuStreamSynchronize(gpu.stream.get())); }

model::Outcome<std::shared_ptr<KernelRunner::State::Loaded>> KernelRunner::State::load(
    const model::Outcome<kernel_templates::LaunchPlan>& plan,
    model::Outcome<std::vector<kernel_templates::ResolvedArgument>> resolved,
    const CompiledKernel& compiled) {
  if (!plan) return base::failure(plan.error());
  if (!resolved) return base::failure(resolved.error());
  auto loaded =
      LoadedPlan::load(compiled, *plan, instance.gpu(), arguments.parameter_sizes(), *resolved, resources);
  if (!loaded) return base::failure(loaded.error());
  return std::make_shared<Loaded>(Loaded{std::move(*loaded), std::move(*resolved)});
}

void KernelRunner::State::measure_energy(Loaded& loaded, Measurement& measurement) {
  if (!energy.available()) {
    if (!warned_of_missing_energy)
      warnings.emplace_back("energy is not measured: NVML has no energy counter for this GPU");
    warned_of_missing_energy = true;
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
      prepare, [&] { launch(loaded); }, measurement.time->median_ns, prepare_ns);
  if (!reading) return;
  measurement.counters[model::own_metric::kEnergyJ] = reading->joules_per_launch;
  measurement.counters[model::own_metric::kPowerW] = reading->watts;
  measurement.counters[model::own_metric::kEnergyRelativeError] = reading->relative_error;
}

void KernelRunner::State::evaluate(Measurement& measurement, std::uint64_t id, const CompiledKernel& compiled,
                                   double incumbent_ns) {
  has_counted = false;
  const auto reject = [&](Status status, const std::string& reason) {
    measurement.status = status;
    measurement.reason = reason;
  };
  const auto plan = instance.screened_plan(measurement.configuration);
  const auto loaded = load(plan, instance.arguments(measurement.configuration), compiled);
  if (!loaded) return reject(loaded.error().status, loaded.error().reason);
  measurement.resources = (*loaded)->plan.resources();
  if (measurement.resources.local_bytes > 0) {  // Without local memory no register is spilled.
    const auto& code = compiled.find_entry(plan->main_launch()->entry);
    measurement.counters[model::own_metric::kSpillBytes] = static_cast<double>(code.spill_bytes);
  }

  timing::Race race_of_it(options.racing, incumbent_ns);
  const bool by_host = (*loaded)->plan.is_timed_by_host();
  const bool counts_first = counts_first_launch(**loaded);
  if (by_host) pause_counting();
  double first_ns = counts_first ? launch_first(id, *loaded) : launch_uncounted(**loaded);
  if (const auto fault = check.verify()) return reject(Status::kWrongResult, *fault);
  if (options.measure_error) measurement.counters.merge(errors());
  // The time of the first launch is too long by more than the race allows for, so another launch is timed.
  if (by_host) first_ns = time(**loaded).ns;
  race_of_it.add_first(first_ns);
  if (const auto fault = race(race_of_it, **loaded, measurement)) return reject(Status::kWrongResult, *fault);
  const bool dropped = race_of_it.verdict() == timing::RaceVerdict::kDropped;
  // Without this check, errors of these launches would be found in the next configuration.
  if (!race_of_it.samples_ns().empty()) {
    if (const auto fault = check.verify())
      return reject(Status::kWrongResult, "right in its first launch, wrong when repeated: " + *fault);
  }
  if (is_suspicious(new_inputs)) {
    if (const auto fault = remembered(measurement.configuration, compiled, false))
      return reject(fault->status, fault->reason);
  }
  add_bytes_to_write(**loaded, measurement);
  measurement.counters[model::own_metric::kFirstLaunchNs] = race_of_it.first_ns();
  measurement.samples_ns = race_of_it.samples_ns();
  if (measurement.samples_ns.empty()) measurement.samples_ns = {race_of_it.first_ns()};
  measurement.time = model::summarise(measurement.samples_ns);
  if (dropped) measurement.time->low_ns = race_of_it.bound_ns();
  measurement.status = dropped ? Status::kDropped : Status::kMeasured;
  measurement.reason.clear();
  judge_time(measurement);
  if (measurement.status == Status::kImplausible) return;
  if (options.measure_energy && !dropped) measure_energy(**loaded, measurement);
  const bool is_contender = note_contender(race_of_it);
  if (counts_first) return;
  if (const auto fault = count_measured(id, *loaded, is_contender)) {
    measurement.samples_ns.clear();
    measurement.time.reset();
    reject(Status::kWrongResult, "right in its first launches, wrong when repeated: " + *fault);
  }
}

}  // namespace warptune::profiling
