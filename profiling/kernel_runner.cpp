#include "profiling/kernel_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "profiling/detail/counting.h"
#include "profiling/detail/device_buffers.h"
#include "profiling/detail/device_helpers.h"
#include "profiling/detail/energy_meter.h"
#include "profiling/detail/error_meter.h"
#include "profiling/detail/gpu_watch.h"
#include "profiling/detail/host_resources.h"
#include "profiling/detail/launch_timer.h"
#include "profiling/detail/launcher.h"
#include "profiling/detail/nvml.h"
#include "profiling/detail/output_check.h"
#include "profiling/detail/pc_sampler.h"
#include "profiling/detail/roof_meter.h"

namespace warptune::profiling {

using detail::cuda;
using detail::CudaError;
using detail::LoadedPlan;
using detail::pci_bus_id;
using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using search::Measurement;
using search::NamedValues;
using search::Rejection;
using search::Status;

namespace {

/// What to read so that nothing else is left in L2. Buffers as large evict each other.
std::size_t flush_bytes(const search::GpuDescription& gpu) {
  return static_cast<std::size_t>(2 * gpu.l2_bytes);
}

Status status_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_INVALID_PTX:
      return Status::kLaunchInvalid;
    default:
      return Status::kLaunchFailed;
  }
}

/// CUPTI samples one GPU process by its context; what is loaded before is not known to it.
struct Sampling {
  Sampling(CUcontext context, bool wanted) {
    if (!wanted) return;
    try {
      sampler = std::make_unique<detail::PcSampler>(context);
    } catch (const base::MachineError& error) {
      problem = error.what();
    }
  }

  std::unique_ptr<detail::PcSampler> sampler;
  std::string problem;
};

/// No more is worth its time.
constexpr std::uint64_t kEnoughSamples = 20000;
constexpr double kSamplingNs = 2e7;  // Of launches, in the first round.
constexpr int kMostSampledLaunches = 2000;

/// A period for some 100,000 samples of all SMs in `ns`, as a power of two.
unsigned sampling_period_log2(double ns, const search::GpuDescription& gpu) {
  const double cycles = ns * 1e-6 * static_cast<double>(gpu.max_clock_khz) * gpu.sm_count;
  return static_cast<unsigned>(std::clamp(std::log2(std::max(cycles / 1e5, 1.0)), 9.0, 31.0));
}

NamedValues reference_configuration(const KernelInstance& instance) {
  const kernel_templates::Check& check = instance.definition().check;
  return check.configuration.empty() ? detail::some_configuration(instance) : check.configuration;
}

}  // namespace

struct KernelRunner::State {
  State(const KernelInstance& kernel_instance, const RunnerOptions& runner_options);

  /// A configuration ready to be launched: its code on the device, the sizes of its scratch.
  struct Loaded {
    LoadedPlan plan;
    std::vector<kernel_templates::ResolvedArgument> arguments;
  };

  /// `on_device`: with all buffers there, wherever the configuration has them.
  search::Outcome<std::shared_ptr<Loaded>> load(const search::Outcome<kernel_templates::LaunchPlan>& plan,
                                                const NamedValues& configuration,
                                                const CompiledKernel& compiled, bool on_device = false);
  void evaluate(Measurement& measurement, std::uint64_t id, const CompiledKernel& compiled,
                double incumbent_ns);
  double launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  void race(Race& race, Loaded& loaded, Measurement& measurement);
  void measure_energy(Loaded& loaded, Measurement& measurement);
  HotLines sample_lines(Loaded& loaded, const CompiledKernel& compiled);
  void launch(const Loaded& loaded);
  void launch(const ExternalLaunch& external);
  void fit(Loaded& loaded);
  void restore(Loaded& loaded);
  detail::Sample time(Loaded& loaded, std::uint64_t hold_cycles = detail::LaunchTimer::kHoldCycles);
  bool count_first(std::uint64_t id, const std::function<void()>& prepare,
                   const std::function<void()>& counted, const Loaded& loaded);
  void synchronise();
  void note(const CudaError& error);

  KernelInstance instance;
  RunnerOptions options;
  detail::NvmlDevice nvml;
  detail::GpuWatch watch;  ///< Looks first while this process has no context.
  detail::Context context;
  Sampling sampling;
  detail::Stream stream;
  detail::DeviceHelpers helpers;
  std::vector<std::string> warnings;
  std::vector<search::RoofReading> roof_readings;  ///< Before the buffers take the memory.
  search::Roofs roofs;
  detail::DeviceArguments arguments;
  detail::HostResources resources;
  detail::OutputCheck check;
  detail::LaunchTimer timer;
  detail::Counting counting;
  detail::EnergyMeter energy;
  std::optional<detail::ErrorMeter> error_meter;
  bool told_no_energy = false;
  base::Random random;
  bool lost = false;
};

KernelRunner::State::State(const KernelInstance& kernel_instance, const RunnerOptions& runner_options)
    : instance(kernel_instance),
      options(runner_options),
      nvml(pci_bus_id(options.ordinal)),
      watch(nvml),
      context(options.ordinal),
      sampling(context.get(), options.sample_lines),
      stream(detail::make_stream()),
      helpers(instance.gpu(), stream.get(), options.compile_cache),
      roof_readings(
          options.roofs.empty() && !options.sample_lines
              ? detail::measure_roofs(instance.gpu(), stream.get(), helpers, options.compile_cache, warnings)
              : options.roofs),
      roofs(search::roofs_of(roof_readings, instance.gpu())),
      arguments(instance, options.seed, stream.get(), flush_bytes(instance.gpu())),
      resources(stream.get()),
      check(instance, arguments, helpers),
      timer(stream.get(), helpers,
            options.cache == search::CacheState::kCold ? flush_bytes(instance.gpu()) : 0,
            arguments.footprint_bytes() < flush_bytes(instance.gpu())),
      counting(context, instance.gpu().chip, options,
               [this] {
                 helpers.spin(1000);
                 synchronise();
               }),
      energy(nvml, stream.get()),
      random(options.seed) {
  if (options.measure_error) error_meter.emplace(instance.gpu(), stream.get(), options.compile_cache);
  base::log_debug(fmt::format("buffers of {} bytes, timed from a {} L2 cache, {:.2f} us an event pair",
                              arguments.footprint_bytes(), search::to_string(options.cache),
                              timer.overhead_ns() * 1e-3));
}

void KernelRunner::State::note(const CudaError& error) {
  if (!detail::is_sticky(error.code())) return;
  lost = true;
  counting.abandon();
}

void KernelRunner::State::launch(const Loaded& loaded) { loaded.plan.launch(); }

void KernelRunner::State::launch(const ExternalLaunch& external) {
  std::vector<std::uint64_t> buffers;
  for (const detail::DeviceArgument& argument : arguments.all())
    buffers.push_back(argument.is_buffer() ? argument.pointer : 0);
  external.launch(stream.get(), buffers);
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

detail::Sample KernelRunner::State::time(Loaded& loaded, std::uint64_t hold_cycles) {
  const auto prepare = [&] { restore(loaded); };
  const auto run = [&] { launch(loaded); };
  return loaded.plan.is_host_program() ? timer.time_program(prepare, run)
                                       : timer.time(prepare, run, hold_cycles);
}

void KernelRunner::State::synchronise() { WARPTUNE_CUDA(cuStreamSynchronize(stream.get())); }

search::Outcome<std::shared_ptr<KernelRunner::State::Loaded>> KernelRunner::State::load(
    const search::Outcome<kernel_templates::LaunchPlan>& plan, const NamedValues& configuration,
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
  const auto prepare = [this, loaded] {
    fit(*loaded);
    check.prepare();
    timer.flush();  // What preparing wrote is written back before the launch, not in it.
    synchronise();
  };
  const auto timed = [this, loaded] {
    const auto run = [&] { launch(*loaded); };
    return loaded->plan.is_host_program() ? timer.time_bare_program_ns(run) : timer.time_bare_ns(run);
  };
  // The session keeps what it is given beyond this call: nothing of this frame. Further passes launch again.
  const auto first = std::make_shared<double>(0.0);
  const auto counted = [this, timed, first] {
    const double ns = timed();
    if (*first > 0.0) return;
    *first = ns;
    counting.expect_of_last(ns);
  };
  if (count_first(id, prepare, counted, *loaded)) return *first;
  prepare();
  return timed();
}

// Where the profiler does not bear what a program does, it goes without counters.
bool KernelRunner::State::count_first(std::uint64_t id, const std::function<void()>& prepare,
                                      const std::function<void()>& counted, const Loaded& loaded) {
  try {
    return counting.count(id, prepare, counted);
  } catch (const CudaError& error) {
    if (!loaded.plan.may_elude_counting() || detail::is_sticky(error.code())) throw;
    warnings.push_back(
        fmt::format("no hardware counters of a launch that fails while it is counted: {}", error.what()));
    return false;
  }
}

void KernelRunner::State::race(Race& race, Loaded& loaded, Measurement& measurement) {
  std::vector<double> clocks_mhz;
  int off_clock = 0;
  while (race.verdict() == RaceVerdict::kMore) {
    const detail::Sample sample = time(loaded);
    race.add(sample.ns);
    if (sample.sm_clock_mhz > 0.0) clocks_mhz.push_back(sample.sm_clock_mhz);
    if (sample.off_clock) ++off_clock;
  }
  if (!clocks_mhz.empty()) measurement.counters["sm_clock_mhz"] = search::summarise(clocks_mhz).median_ns;
  if (off_clock > 0) measurement.counters["off_clock_samples"] = off_clock;
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
  measurement.counters["energy_j"] = reading->joules_per_launch;
  measurement.counters["power_w"] = reading->watts;
  measurement.counters["energy_relative_error"] = reading->relative_error;
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
    measurement.counters["spill_bytes"] = static_cast<double>(code.spill_bytes);
  }

  Race race_of_it(options.racing, incumbent_ns);
  double first_ns = launch_first(id, *loaded);
  if (const auto fault = check.verify()) return reject(Status::kWrongResult, *fault);
  if (error_meter) {
    if (const auto errors = check.errors(*error_meter)) errors->add_to(measurement.counters);
  }
  // What the first launch of a host program reads long is no matter of microseconds.
  if ((*loaded)->plan.is_host_program()) first_ns = time(**loaded).ns;
  race_of_it.add_first(first_ns);
  race(race_of_it, **loaded, measurement);
  const bool dropped = race_of_it.verdict() == RaceVerdict::kDropped;
  if (!race_of_it.samples_ns().empty()) {  // Else the next would be blamed for what these launches did.
    if (const auto fault = check.verify())
      return reject(Status::kWrongResult, "right at first, wrong when repeated: " + *fault);
  }
  measurement.counters["first_launch_ns"] = race_of_it.first_ns();
  measurement.samples_ns = race_of_it.samples_ns();
  if (measurement.samples_ns.empty()) measurement.samples_ns = {race_of_it.first_ns()};
  measurement.time = search::summarise(measurement.samples_ns);
  if (dropped) measurement.time.low_ns = race_of_it.bound_ns();
  measurement.status = dropped ? Status::kDropped : Status::kMeasured;
  measurement.reason.clear();
  if (options.measure_energy && !dropped) measure_energy(**loaded, measurement);
}

KernelRunner::KernelRunner(const KernelInstance& instance, const RunnerOptions& options)
    : state_(std::make_unique<State>(instance, options)) {}

KernelRunner::~KernelRunner() = default;

void KernelRunner::prepare_reference(const CompiledKernel& reference) {
  State& state = *state_;
  const auto fail = [&](const std::string& reason) {
    throw base::InputError("the reference fails: " + reason,
                           {state.instance.definition().path.string(), 0, 0});
  };
  try {
    // A reference by an entry or expression is a kernel that reads all arguments.
    const bool on_device =
        state.instance.definition().check.reference != kernel_templates::ReferenceKind::kConfiguration;
    const auto loaded = state.load(state.instance.reference_plan(), reference_configuration(state.instance),
                                   reference, on_device);
    if (!loaded) return fail(loaded.error().reason);
    state.fit(**loaded);
    state.check.prepare();
    state.launch(**loaded);
    state.synchronise();
  } catch (const CudaError& error) {
    state.note(error);
    return fail(error.what());
  }
  if (const auto fault = state.check.verify()) return fail(*fault);
  state.check.keep_reference();
}

Measurement KernelRunner::evaluate(std::uint64_t id, const NamedValues& configuration,
                                   const CompiledKernel& compiled, double incumbent_ns) {
  const auto started = std::chrono::steady_clock::now();
  Measurement measurement;
  measurement.configuration = configuration;
  measurement.compile_ms = compiled.compile_ms;
  try {
    state_->evaluate(measurement, id, compiled, incumbent_ns);
  } catch (const CudaError& error) {
    state_->note(error);
    measurement.status = status_of(error.code());
    measurement.reason = error.what();
  } catch (const base::MachineError& error) {  // Scratch that does not fit.
    measurement.status = Status::kLaunchInvalid;
    measurement.reason = error.what();
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - started;
  measurement.measure_ms = spent.count();
  measurement.time_stamp_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  return measurement;
}

void KernelRunner::count(std::uint64_t id, const NamedValues& configuration, const CompiledKernel& compiled) {
  State& state = *state_;
  try {
    const auto loaded = state.load(state.instance.screened_plan(configuration), configuration, compiled);
    if (loaded) state.launch_first(id, *loaded);
  } catch (const CudaError& error) {
    state.note(error);
  }
}

HotLines KernelRunner::State::sample_lines(Loaded& loaded, const CompiledKernel& compiled) {
  const auto prepare = [&] {
    restore(loaded);
    if (timer.flushes_each()) timer.flush();
  };
  const double ns = time(loaded).ns;
  int launches = static_cast<int>(std::clamp(kSamplingNs / ns, 1.0, double{kMostSampledLaunches}));
  detail::PcSampler& sampler = *sampling.sampler;
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

HotLines KernelRunner::sample_lines(const NamedValues& configuration, const CompiledKernel& compiled) {
  if (!state_->options.sample_lines) throw base::InternalError("this runner was not made to sample lines");
  HotLines lines;
  lines.problem = state_->sampling.problem;
  if (!lines.problem.empty()) return lines;
  try {
    const auto loaded = state_->load(state_->instance.screened_plan(configuration), configuration, compiled);
    if (loaded) return state_->sample_lines(**loaded, compiled);
    lines.problem = loaded.error().reason;
  } catch (const CudaError& error) {
    state_->note(error);
    lines.problem = error.what();
  } catch (const base::MachineError& error) {
    lines.problem = error.what();
  }
  return lines;
}

std::vector<std::vector<double>> KernelRunner::time_interleaved(const std::vector<Finalist>& finalists,
                                                                int rounds) {
  return time_interleaved(finalists, {}, rounds);
}

std::vector<std::vector<double>> KernelRunner::time_interleaved(const std::vector<Finalist>& finalists,
                                                                const std::vector<ExternalLaunch>& external,
                                                                int rounds) {
  State& state = *state_;
  const std::uint64_t hold =
      external.empty() ? detail::LaunchTimer::kHoldCycles : detail::LaunchTimer::kLongHoldCycles;
  std::vector<std::vector<double>> samples_ns(finalists.size() + external.size());
  try {
    std::vector<std::function<double()>> all;
    all.reserve(samples_ns.size());
    for (const Finalist& finalist : finalists) {
      auto loaded = state.load(state.instance.screened_plan(finalist.configuration), finalist.configuration,
                               *finalist.compiled);
      if (!loaded) throw base::InternalError("a finalist does not load: " + loaded.error().reason);
      all.emplace_back([&state, hold, one = std::move(*loaded)] { return state.time(*one, hold).ns; });
    }
    for (const ExternalLaunch& one : external) {
      all.emplace_back([&state, hold, &one] {
        return state.timer.time([&] { state.arguments.restore(); }, [&] { state.launch(one); }, hold).ns;
      });
    }
    for (const auto& time_ns : all) time_ns();  // Its code is new to the GPU.
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int round = 0; round < rounds; ++round) {
      state.random.shuffle(order);
      for (const std::size_t i : order) samples_ns[i].push_back(all[i]());
    }
  } catch (const CudaError& error) {
    state.note(error);
    throw;
  }
  return samples_ns;
}

std::optional<std::string> KernelRunner::verify(const ExternalLaunch& external) {
  State& state = *state_;
  try {
    state.check.prepare();
    state.synchronise();  // What launches may use other streams.
    state.launch(external);
    state.synchronise();
    return state.check.verify();
  } catch (const CudaError& error) {
    state.note(error);
    throw;
  }
}

std::vector<CounterReading> KernelRunner::take_counters(bool close) {
  try {
    return state_->counting.take(close);
  } catch (const CudaError& error) {  // Of a launch in a further pass.
    state_->note(error);
    state_->warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
    return {};
  }
}

const search::Roofs& KernelRunner::roofs() const { return state_->roofs; }
const std::vector<search::RoofReading>& KernelRunner::roof_readings() const { return state_->roof_readings; }
bool KernelRunner::context_lost() const { return state_->lost || state_->check.damaged(); }
bool KernelRunner::flushes() const { return state_->timer.flushes_each(); }
const std::string& KernelRunner::counter_problem() const { return state_->counting.problem(); }
bool KernelRunner::counting() const { return state_->counting.active(); }
std::vector<std::string> KernelRunner::take_warnings() {
  std::vector<std::string> taken = std::exchange(state_->warnings, {});
  for (std::string& warning : state_->counting.take_warnings()) taken.push_back(std::move(warning));
  for (std::string& warning : state_->watch.look()) taken.push_back(std::move(warning));
  return taken;
}

}  // namespace warptune::profiling
