#include "tuner/workers/gpu_worker.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"
#include "profiling/roofs/roofs.h"

namespace warptune::tuner::workers {

namespace {

profiling::RunnerOptions runner_options(const profiling::MeasuringOptions& measuring, int ordinal) {
  profiling::RunnerOptions options;
  static_cast<profiling::MeasuringOptions&>(options) = measuring;
  options.ordinal = ordinal;
  return options;
}

// Whether there is enough memory to measure the roofs after the buffers are allocated. Measuring takes up to
// 2 GiB; 3 GB are required to have a margin. An argument takes up to three times its size: the buffer, its
// initial content and the reference. Padded rows are one more copy.
bool leaves_room_for_roofs(const kernel_templates::KernelInstance& instance) {
  constexpr double kRoofBytes = 3e9;
  const auto arguments = instance.arguments(instance.default_configuration());
  if (instance.default_configuration().empty() || !arguments) return false;
  double bytes = kRoofBytes;
  for (const kernel_templates::ResolvedArgument& argument : *arguments) {
    bytes += 3.0 * static_cast<double>(argument.bytes());
    if (argument.is_padded()) bytes += static_cast<double>(argument.placed_bytes());
  }
  return bytes < static_cast<double>(instance.gpu().memory_bytes);
}

}  // namespace

template <class Other>
bool GpuWorker::take(const Other&) {
  throw base::InternalError(
      fmt::format("a GPU worker received the message '{}', which it does not handle", Other::kName));
}

bool GpuWorker::answer(const protocol::Message& message) {
  return std::visit([this](const auto& held) { return take(held); }, message);
}

std::optional<protocol::Message> GpuWorker::receive() {
  if (early_.empty()) return channel_.receive();
  std::optional<protocol::Message> message = std::move(early_.front());
  early_.pop_front();
  return message;
}

// Asks the coordinator whether the results that were written are right. The next evaluation may arrive before
// the answer: it is kept in `early_`.
std::optional<std::string> GpuWorker::ask_whether_right() {
  if (!channel_.send(protocol::ResultsWritten{})) return "the coordinator is gone";
  while (std::optional<protocol::Message> message = channel_.receive()) {
    const auto* const judged = std::get_if<protocol::Judged>(&*message);
    if (judged != nullptr) return judged->right ? std::nullopt : std::optional(judged->reason);
    early_.push_back(std::move(*message));
  }
  return "the coordinator is gone";
}

bool GpuWorker::take(const protocol::Judged&) {
  throw base::InternalError("a GPU worker received an answer that it had not asked for");
}

bool GpuWorker::take(const protocol::ListGpus&) {
  profiling::GpuList list = profiling::enumerate_gpus();
  return channel_.send(protocol::GpusListed{std::move(list.gpus), std::move(list.reason)});
}

bool GpuWorker::take(const protocol::MeasureRoofs& message) {
  profiling::roofs::RoofMeasurements measured =
      profiling::roofs::measure_roofs(message.gpu, message.ordinal, message.compile_cache);
  return channel_.send(protocol::RoofsMeasured{std::move(measured.readings), std::move(measured.problems)});
}

bool GpuWorker::take(const protocol::SampleHotLines& message) {
  const kernel_templates::KernelInstance instance(
      kernel_templates::load_kernel(message.kernel, {message.readable_folders}), message.problem,
      message.gpu);
  profiling::RunnerOptions options = runner_options(message.measuring, message.ordinal);
  options.count = false;
  options.sample_lines = true;
  profiling::KernelRunner runner(instance, options);
  return channel_.send(
      protocol::HotLinesSampled{runner.sample_lines(message.configuration, message.compiled)});
}

bool GpuWorker::take(const protocol::TraceSteps& message) {
  const kernel_templates::KernelInstance instance(
      kernel_templates::load_kernel(message.kernel, {message.readable_folders}), message.problem,
      message.gpu);
  profiling::RunnerOptions options = runner_options(message.measuring, message.ordinal);
  options.count = false;
  options.defer_roofs = true;
  profiling::KernelRunner runner(instance, options);
  return channel_.send(protocol::StepsTraced{runner.trace_steps(message.configuration, message.compiled)});
}

bool GpuWorker::take(const protocol::PrepareGpu& message) {
  gpu_ = message.gpu;
  ordinal_ = message.ordinal;
  measuring_ = message.measuring;
  prepared_.emplace(gpu_, profiling::PreparationOptions{ordinal_, measuring_, message.roofs, false});
  roofs_first_ = message.roofs_first;
  return true;
}

bool GpuWorker::take(const protocol::SetUp& message) {
  if (!prepared_)
    throw base::InternalError("the message to set up came before the message to prepare the GPU");
  kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(message.kernel, {message.readable_folders});
  kernel_templates::use_given_contents(definition, message.contents);
  instance_ =
      std::make_unique<kernel_templates::KernelInstance>(std::move(definition), message.problem, gpu_);
  if (roofs_first_ || !leaves_room_for_roofs(*instance_)) prepared_->measure_roofs();
  profiling::RunnerOptions options = runner_options(measuring_, ordinal_);
  options.defer_counting = true;
  options.judge = [this] { return ask_whether_right(); };
  options.begun = [this](std::size_t finalist) { channel_.send(protocol::Begun{finalist}); };
  runner_ = std::make_unique<profiling::KernelRunner>(*instance_, options, std::move(*prepared_));
  prepared_.reset();
  replacement_ = message.replacement;
  base::log_debug("the buffers are filled");
  return true;
}

bool GpuWorker::take(const protocol::Begin& message) {
  if (!runner_) throw base::InternalError("the message to begin came before the message to set up");
  if (message.reference) runner_->prepare_reference(*message.reference);
  runner_->use_given_reference();
  base::log_debug("the reference has run");
  // A replacement's first look at the GPU shows what the worker before it left. Those warnings are dropped.
  if (replacement_) runner_->take_warnings();
  roofs_known_ = !runner_->roof_readings().empty();
  return channel_.send(protocol::Ready{runner_->roof_readings(), profiling::read_environment(ordinal_)}) &&
         send_warnings();
}

bool GpuWorker::take(const protocol::Evaluate& message) {
  output_.take();  // Discards what was printed before.
  if (!channel_.send(protocol::Begun{message.id})) return false;
  model::Measurement measurement =
      runner_->evaluate(message.id, message.configuration, message.compiled, message.incumbent_ns);
  note_printed(measurement);
  measurement.compile_ms = message.compiled.compile_ms;
  if (!channel_.send(protocol::Evaluated{message.id, std::move(measurement), runner_->has_counted_last(),
                                         runner_->counting()}))
    return false;
  if (context_is_lost() || !finish_set_up() || context_is_lost()) return false;
  return send_counters(false) && send_warnings();
}

// Stores what a kernel printed in its row.
void GpuWorker::note_printed(model::Measurement& measurement) {
  const std::string printed = output_.take();
  measurement.reason = processes::with_printed(measurement.reason, printed);
  const bool ran =
      measurement.status == model::Status::kMeasured || measurement.status == model::Status::kDropped;
  prints_ = prints_ || (ran && !printed.empty());
}

// Does the work that the first measurement must not wait for. Later launches are verified on two sets of
// inputs. Roofs and counters wait longer: a search needs neither, and finds good configurations in the
// seconds that they take.
bool GpuWorker::finish_set_up() {
  add_second_inputs();
  const auto now = std::chrono::steady_clock::now();
  if (!first_evaluated_at_) first_evaluated_at_ = now;
  const std::chrono::duration<double> searched = now - *first_evaluated_at_;
  if (searched.count() < measuring_.search_first_s && !runner_->has_full_batch()) return true;
  if (!measure_roofs()) return false;
  runner_->start_counting();
  return true;
}

// Measures the roofs if they are unknown, and tells the coordinator.
bool GpuWorker::measure_roofs() {
  if (std::exchange(roofs_known_, true)) return true;
  runner_->measure_roofs();
  return channel_.send(protocol::RoofsMeasured{runner_->roof_readings(), {}});
}

void GpuWorker::add_second_inputs() {
  if (!std::exchange(has_second_inputs_, true)) runner_->add_second_inputs();
}

// A replacement that was started during the finals has evaluated nothing, so it has no second inputs yet.
bool GpuWorker::prepare_finals() {
  add_second_inputs();
  return measure_roofs();
}

bool GpuWorker::take(const protocol::Count& message) {
  runner_->count(message.id, message.configuration, message.compiled);
  if (context_is_lost()) return false;
  return channel_.send(protocol::Counted{message.id}) && send_counters(false);
}

// Counting starts here at the latest, if anything waits for it.
bool GpuWorker::take(const protocol::CloseCounters& message) {
  if (!message.may_begin) runner_->give_up_uncounted();
  return (!message.may_begin || measure_roofs()) && send_counters(true);
}

bool GpuWorker::take(const protocol::Interleave& message) {
  std::vector<profiling::KernelRunner::Finalist> finalists;
  finalists.reserve(message.finalists.size());
  for (const protocol::Finalist& finalist : message.finalists)
    finalists.push_back({finalist.configuration, &finalist.compiled});
  return prepare_finals() &&
         channel_.send(protocol::Interleaved{runner_->time_interleaved(finalists, message.rounds)});
}

bool GpuWorker::take(const protocol::Confirm& message) {
  return prepare_finals() && channel_.send(protocol::Confirmed{runner_->confirm(
                                 {message.finalist.configuration, &message.finalist.compiled})});
}

bool GpuWorker::context_is_lost() {
  if (!runner_->context_lost()) return false;
  channel_.send(protocol::ContextLost{});
  return true;
}

bool GpuWorker::send_counters(bool close) {
  protocol::CountersRead read;
  for (profiling::CounterReading& reading : runner_->take_counters(close))
    read.values.push_back({reading.id, std::move(reading.counters), reading.disturbed});
  read.closed = close;
  return (read.values.empty() && !close) || channel_.send(read);
}

bool GpuWorker::send_warnings() {
  if (std::exchange(prints_, false) &&
      !channel_.send(protocol::Warning{"the kernels print: their output is kept with their rows, and the "
                                       "time for printing is part of their time"}))
    return false;
  for (std::string& warning : runner_->take_warnings()) {
    if (!channel_.send(protocol::Warning{std::move(warning)})) return false;
  }
  return true;
}

}  // namespace warptune::tuner::workers
