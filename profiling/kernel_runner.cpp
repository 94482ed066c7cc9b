#include "profiling/kernel_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "kernel_templates/given_contents.h"
#include "profiling/runner_state.h"

namespace warptune::profiling {

using driver::cuda;
using driver::CudaError;
using kernel_templates::CompiledKernel;
using kernel_templates::KernelInstance;
using model::Measurement;
using model::NamedValues;
using model::Status;

namespace {

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

PreparedGpu prepared(const model::GpuDescription& gpu, const RunnerOptions& options) {
  const MeasuringOptions& measuring = options;
  PreparedGpu prepared(gpu, {options.ordinal, measuring, options.roofs, options.sample_lines});
  if (!options.defer_roofs && !options.sample_lines) prepared.measure_roofs();
  return prepared;
}

}  // namespace

KernelRunner::KernelRunner(const KernelInstance& instance, const RunnerOptions& options)
    : KernelRunner(instance, options, prepared(instance.gpu(), options)) {}

KernelRunner::KernelRunner(const KernelInstance& instance, const RunnerOptions& options, PreparedGpu gpu)
    : state_(std::make_unique<State>(instance, options, std::move(gpu))) {}

KernelRunner::~KernelRunner() = default;

void KernelRunner::prepare_reference(const CompiledKernel& reference) {
  State& state = *state_;
  const auto fail = [&](const std::string& reason) {
    throw base::InputError("the reference fails: " + reason,
                           {state.instance.definition().path.string(), 0, 0});
  };
  try {
    const auto loaded =
        state.load(state.instance.reference_plan(), state.instance.reference_arguments(), reference);
    if (!loaded) return fail(loaded.error().reason);
    state.reference = *loaded;
    state.run_reference();
  } catch (const CudaError& error) {
    state.note(error);
    return fail(error.what());
  }
  state.check.keep_reference();
  state.note_bytes_to_write();
}

void KernelRunner::use_given_reference() {
  State& state = *state_;
  if (state.instance.definition().check.reference == kernel_templates::ReferenceKind::kJudged)
    state.check.set_judge(state.options.judge);
  if (!state.instance.has_expected_files()) return;
  if (state.instance.definition().given.empty()) kernel_templates::require_contents_fit(state.instance);
  state.upload_expected();
  state.check.keep_reference();
  state.note_bytes_to_write();
}

void KernelRunner::add_second_inputs() {
  if (!state_->reference) {
    if (state_->instance.has_reference() && !state_->instance.compiles_reference())
      state_->warnings.emplace_back(
          "the right outputs are known for one set of inputs, so all launches are verified on the same data");
    return;
  }
  try {
    std::string warning =
        state_->inputs.add_second_set(base::unforeseen_seed(), [this] { state_->run_reference(); });
    if (!warning.empty()) state_->warnings.push_back(std::move(warning));
    if (state_->inputs.has_two()) state_->note_bytes_to_write();
  } catch (const CudaError& error) {
    state_->note(error);
    throw base::InputError(std::string("the reference fails on other inputs: ") + error.what(),
                           {state_->instance.definition().path.string(), 0, 0});
  }
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
  } catch (const base::MachineError& error) {  // Scratch or padded rows do not fit into memory.
    measurement.status = Status::kLaunchInvalid;
    measurement.reason = error.what();
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - started;
  measurement.measure_ms = spent.count();
  measurement.time_stamp_ms = base::unix_time_ms();
  return measurement;
}

void KernelRunner::count(std::uint64_t id, const NamedValues& configuration, const CompiledKernel& compiled) {
  State& state = *state_;
  try {
    const auto loaded = state.load(state.instance.screened_plan(configuration),
                                   state.instance.arguments(configuration), compiled);
    state.counting.start();
    if (loaded) state.count_again(id, *loaded);
  } catch (const CudaError& error) {
    state.note(error);
  } catch (const base::MachineError& error) {
    state.warnings.push_back(fmt::format("a launch has no hardware counters: {}", error.what()));
  }
}

void KernelRunner::measure_roofs() {
  state_->prepared.measure_roofs();
  state_->roofs = model::roofs_of(state_->gpu.roof_readings, state_->instance.gpu());
  for (std::string& warning : std::exchange(state_->gpu.warnings, {}))
    state_->warnings.push_back(std::move(warning));
}

void KernelRunner::start_counting() {
  try {
    state_->start_counting();
  } catch (const CudaError& error) {  // A launch failed that had succeeded before.
    state_->note(error);
    state_->warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
  } catch (const base::MachineError& error) {
    state_->warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
  }
}

HotLines KernelRunner::sample_lines(const NamedValues& configuration, const CompiledKernel& compiled) {
  if (!state_->options.sample_lines)
    throw base::InternalError("this runner was made without the option sample_lines");
  HotLines lines;
  lines.problem = state_->gpu.sampling.problem;
  if (!lines.problem.empty()) return lines;
  try {
    const auto loaded = state_->load(state_->instance.screened_plan(configuration),
                                     state_->instance.arguments(configuration), compiled);
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

tracing::ProgramTimeline KernelRunner::trace_steps(const NamedValues& configuration,
                                                   const CompiledKernel& compiled) {
  try {
    return state_->trace_steps(configuration, compiled);
  } catch (const CudaError& error) {
    state_->note(error);
    return tracing::not_traced(error.what());
  } catch (const base::MachineError& error) {
    return tracing::not_traced(error.what());
  }
}

std::vector<timing::FinalistTiming> KernelRunner::time_interleaved(const std::vector<Finalist>& finalists,
                                                                   int rounds) {
  return time_interleaved(finalists, {}, rounds);
}

std::vector<timing::FinalistTiming> KernelRunner::time_interleaved(
    const std::vector<Finalist>& finalists, const std::vector<ExternalLaunch>& external, int rounds) {
  try {
    return state_->time_interleaved(finalists, external, rounds);
  } catch (const CudaError& error) {
    state_->note(error);
    throw;
  }
}

timing::Confirmation KernelRunner::confirm(const Finalist& finalist) {
  try {
    return state_->confirm(finalist);
  } catch (const CudaError& error) {
    state_->note(error);
    throw;
  }
}

std::optional<std::string> KernelRunner::verify(const ExternalLaunch& external) {
  State& state = *state_;
  try {
    state.check.prepare();
    state.synchronise();  // The external launch may use other streams.
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
    if (close) state_->count_deferred(State::kAll);
    return state_->counting.take(close);
  } catch (const CudaError& error) {  // A launch in a further pass failed.
    state_->note(error);
    state_->warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
    return {};
  }
}

const model::Roofs& KernelRunner::roofs() const { return state_->roofs; }
const std::vector<model::RoofReading>& KernelRunner::roof_readings() const {
  return state_->gpu.roof_readings;
}
bool KernelRunner::context_lost() const { return state_->lost || state_->check.damaged(); }
bool KernelRunner::flushes() const { return state_->timer.flushes_each(); }
const std::string& KernelRunner::counter_problem() const { return state_->counting.problem(); }
void KernelRunner::give_up_uncounted() {
  if (!state_->counting.has_started()) state_->deferred.clear();
}
bool KernelRunner::has_full_batch() const {
  return !state_->counting.has_started() && state_->has_full_batch();
}
bool KernelRunner::counting() const { return state_->counting.active(); }
bool KernelRunner::has_counted_last() const { return state_->has_counted; }
std::vector<std::string> KernelRunner::take_warnings() {
  std::vector<std::string> taken = std::exchange(state_->warnings, {});
  for (std::string& warning : state_->counting.take_warnings()) taken.push_back(std::move(warning));
  for (std::string& warning : state_->gpu.watch.look()) taken.push_back(std::move(warning));
  return taken;
}

}  // namespace warptune::profiling
