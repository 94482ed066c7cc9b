#include "profiling/kernel_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <numeric>

#include "base/log.h"
#include "base/random.h"
#include "profiling/detail/counter_session.h"
#include "profiling/detail/device_buffers.h"
#include "profiling/detail/device_helpers.h"
#include "profiling/detail/launch_timer.h"
#include "profiling/detail/launcher.h"
#include "profiling/detail/metric_planner.h"
#include "profiling/detail/output_check.h"

namespace warptune::profiling {

using detail::cuda;
using detail::CudaError;
using detail::LoadedPlan;
using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using search::Measurement;
using search::NamedValues;
using search::Rejection;
using search::Status;

namespace {

/// The memory that evicts what launches left in L2; 0 where buffers are so large that nothing of use stays.
std::size_t flush_bytes(const search::GpuDescription& gpu, std::size_t footprint_bytes) {
  const auto twice_l2 = static_cast<std::size_t>(2 * gpu.l2_bytes);
  return footprint_bytes < twice_l2 ? twice_l2 : 0;
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

NamedValues reference_configuration(const KernelInstance& instance) {
  const kernel_templates::Check& check = instance.definition().check;
  return check.configuration.empty() ? detail::some_configuration(instance) : check.configuration;
}

}  // namespace

struct KernelRunner::State {
  State(const KernelInstance& kernel_instance, const RunnerOptions& runner_options);

  void open_counters();
  void end_counters(const std::string& problem);
  void evaluate(Measurement& measurement, std::uint64_t id, const CompiledKernel& compiled,
                double incumbent_ns);
  search::Outcome<LoadedPlan> load(const NamedValues& configuration, const CompiledKernel& compiled);
  void count(std::uint64_t id, const NamedValues& configuration, LoadedPlan plan, double expected_ns);
  std::function<void()> launch_of(const LoadedPlan& plan);
  void note(const CudaError& error);

  KernelInstance instance;
  RunnerOptions options;
  detail::Context context;
  detail::Stream stream;
  search::Roofs roofs;
  detail::DeviceHelpers helpers;
  detail::DeviceArguments arguments;
  detail::OutputCheck check;
  detail::LaunchTimer timer;
  std::unique_ptr<detail::CounterSession> counters;
  std::vector<CounterReading> readings;
  std::string counter_problem;
  base::Random random;
  bool lost = false;
};

KernelRunner::State::State(const KernelInstance& kernel_instance, const RunnerOptions& runner_options)
    : instance(kernel_instance),
      options(runner_options),
      context(options.ordinal),
      stream(detail::make_stream()),
      roofs{detail::measure_copy_bandwidth(stream.get()), instance.gpu().peak_fp32_flops()},
      helpers(instance.gpu(), stream.get()),
      arguments(instance, options.seed, stream.get(), flush_bytes(instance.gpu(), 0)),
      check(instance, arguments, helpers),
      timer(stream.get(), flush_bytes(instance.gpu(), arguments.footprint_bytes()),
            [this] { helpers.hold(); }),
      random(options.seed) {
  base::log_debug(fmt::format("buffers of {} bytes, timed from a {} L2 cache", arguments.footprint_bytes(),
                              timer.flushes() ? "cold" : "warm"));
  if (options.count) open_counters();
}

void KernelRunner::State::open_counters() {
  try {
    const std::string& chip = instance.gpu().chip;
    detail::MetricChoice choice = detail::choose_metrics(chip, options.metrics);
    for (const std::string& warning : choice.warnings) base::log_warning(warning);
    if (choice.metrics.empty()) {
      counter_problem = fmt::format("chip \"{}\" has none of the metrics", chip);
      return;
    }
    counters = std::make_unique<detail::CounterSession>(context.get(), chip, std::move(choice.metrics),
                                                        options.counter_batch);
    counters->open();
  } catch (const base::Error& error) {  // Whoever asked for counters says it: `counter_problem`.
    counter_problem = fmt::format("no hardware counters: {}", error.what());
    counters.reset();
  }
}

void KernelRunner::State::end_counters(const std::string& problem) {
  counter_problem = "no hardware counters: " + problem;
  base::log_warning(counter_problem);
  if (!counters) return;
  for (CounterReading& reading : counters->take()) readings.push_back(std::move(reading));
  counters.reset();
}

void KernelRunner::State::note(const CudaError& error) {
  if (!detail::is_sticky(error.code())) return;
  lost = true;
  if (counters) counters->abandon();
}

std::function<void()> KernelRunner::State::launch_of(const LoadedPlan& plan) {
  return [this, &plan, parameters = arguments.launch_parameters()]() mutable {
    plan.launch(stream.get(), parameters.data());
  };
}

search::Outcome<LoadedPlan> KernelRunner::State::load(const NamedValues& configuration,
                                                      const CompiledKernel& compiled) {
  const auto plan = instance.screened_plan(configuration);
  if (!plan) return base::failure(plan.error());
  const auto resolved = instance.arguments(configuration);
  if (!resolved) return base::failure(resolved.error());
  arguments.fit_scratch(*resolved);
  return LoadedPlan::load(compiled, *plan, instance.gpu(), arguments.parameter_sizes());
}

void KernelRunner::State::evaluate(Measurement& measurement, std::uint64_t id, const CompiledKernel& compiled,
                                   double incumbent_ns) {
  const auto reject = [&](Status status, const std::string& reason) {
    measurement.status = status;
    measurement.reason = reason;
  };
  auto plan = load(measurement.configuration, compiled);
  if (!plan) return reject(plan.error().status, plan.error().reason);
  measurement.resources = plan->resources();

  const std::function<void()> launch = launch_of(*plan);
  const double first_ns = timer.time_ns([this] { check.prepare(); }, launch);
  if (const auto fault = check.verify()) return reject(Status::kWrongResult, *fault);

  measurement.samples_ns = timer.sample(
      options.timing, first_ns, incumbent_ns, [this] { arguments.restore(); }, launch);
  if (const auto fault = check.verify()) {
    measurement.samples_ns.clear();
    return reject(Status::kWrongResult, "right at first, wrong when repeated: " + *fault);
  }
  measurement.time = search::summarise(measurement.samples_ns);
  measurement.status = Status::kMeasured;
  measurement.reason.clear();
  count(id, measurement.configuration, std::move(*plan), measurement.time.median_ns);
}

void KernelRunner::State::count(std::uint64_t id, const NamedValues& configuration, LoadedPlan plan,
                                double expected_ns) {
  if (!counters) return;
  const auto wait = [this] { WARPTUNE_CUDA(cuStreamSynchronize(stream.get())); };
  // Metrics of several passes are launched again when the batch closes, after other configurations.
  const auto prepare = [this, wait, resolved = instance.arguments(configuration).value()] {
    arguments.fit_scratch(resolved);
    arguments.restore();
    timer.flush();
    wait();
  };
  const auto launch = [this, wait, kept = std::make_shared<LoadedPlan>(std::move(plan))] {
    launch_of (*kept)();
    wait();
  };
  try {
    counters->count(id, prepare, launch, expected_ns);
  } catch (const CudaError& error) {  // Maybe of another configuration's launch: this one is measured.
    base::log_warning(fmt::format("a counted launch failed: {}", error.what()));
    note(error);
  } catch (const detail::CuptiError& error) {
    end_counters(error.what());
  }
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
    const auto plan = state.instance.reference_plan();
    if (!plan) return fail(plan.error().reason);
    const auto resolved = state.instance.arguments(reference_configuration(state.instance));
    if (!resolved) return fail(resolved.error().reason);
    state.arguments.fit_scratch(*resolved);
    const auto loaded =
        LoadedPlan::load(reference, *plan, state.instance.gpu(), state.arguments.parameter_sizes());
    if (!loaded) return fail(loaded.error().reason);
    state.timer.time_ns([&] { state.check.prepare(); }, state.launch_of(*loaded));
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

std::vector<std::vector<double>> KernelRunner::time_interleaved(const std::vector<Finalist>& finalists,
                                                                int rounds) {
  State& state = *state_;
  std::vector<std::vector<double>> samples_ns(finalists.size());
  const auto restore = [&] { state.arguments.restore(); };
  try {
    std::vector<LoadedPlan> plans;
    for (const Finalist& finalist : finalists) {
      auto plan = state.load(finalist.configuration, *finalist.compiled);
      if (!plan) throw base::InternalError("a finalist does not load: " + plan.error().reason);
      plans.push_back(std::move(*plan));
      state.timer.time_ns(restore, state.launch_of(plans.back()));
    }
    std::vector<std::size_t> order(finalists.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int round = 0; round < rounds; ++round) {
      state.random.shuffle(order);
      for (const std::size_t i : order) {
        state.arguments.fit_scratch(state.instance.arguments(finalists[i].configuration).value());
        samples_ns[i].push_back(state.timer.time_ns(restore, state.launch_of(plans[i])));
      }
    }
  } catch (const CudaError& error) {
    state.note(error);
    throw;
  }
  return samples_ns;
}

std::vector<CounterReading> KernelRunner::take_counters(bool close) {
  State& state = *state_;
  if (state.counters && close) {
    try {
      state.counters->close();
    } catch (const CudaError& error) {  // Of a launch in a further pass.
      state.note(error);
    } catch (const detail::CuptiError& error) {
      state.end_counters(error.what());
    }
  }
  std::vector<CounterReading> taken;
  taken.swap(state.readings);
  if (state.counters) {
    for (CounterReading& reading : state.counters->take()) taken.push_back(std::move(reading));
  }
  return taken;
}

const search::Roofs& KernelRunner::roofs() const { return state_->roofs; }
bool KernelRunner::context_lost() const { return state_->lost || state_->check.damaged(); }
bool KernelRunner::cold_cache() const { return state_->timer.flushes(); }
const std::string& KernelRunner::counter_problem() const { return state_->counter_problem; }

}  // namespace warptune::profiling
