// Joins the stages of an evaluation, compiling and measuring, and waits for the first event.
#include "tuner/workers/process_evaluator.h"

#include <poll.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "tuner/evaluation/ask_ahead.h"
#include "tuner/workers/compiling/candidate_compiler.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/gpu_team.h"

namespace warptune::tuner::workers {

struct ProcessEvaluator::State {
  State(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options,
        gpus::LocalGpus* local_gpus)
      : cancellation(options.cancellation != nullptr ? *options.cancellation : never),
        has_check(instance.has_reference()),
        gpus(instance, options, local_gpus),
        compiler(
            instance,
            options.compile_workers != 0 ? options.compile_workers : compiling::default_compile_workers(),
            options.compile_deadline, options.measuring.compile_cache) {
    base::log_debug("the GPUs are being prepared");
    if (!instance.compiles_reference()) gpus.begin(std::nullopt);
  }

  ~State() { gpus.ask_to_end(); }  // GPU and compile workers end at the same time.
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void collect(std::vector<evaluation::EvaluationEvent>& events) {
    compiling::CompiledSoFar compiled = compiler.collect();
    if (compiled.reference) gpus.begin(compiled.reference);
    for (compiling::CompiledCandidate& candidate : compiled.candidates) gpus.add(std::move(candidate));
    for (evaluation::EvaluationEvent& event : compiled.rejected) events.push_back(std::move(event));
    gpus.collect(events);
  }

  void poll(std::chrono::milliseconds timeout) {
    std::vector<pollfd> polled;
    gpus.add_descriptors(polled);
    for (const int descriptor : compiler.descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), compiler.has_results() ? 0 : static_cast<int>(timeout.count()));
  }

  // The first GPU that is set up. Waits for one. Null if it is cancelled first.
  GpuLink* any_ready_unless(const base::Cancellation& cancelled) {
    while (true) {
      gpus.note_ready();
      if (GpuLink* const gpu = gpus.first_ready()) return gpu;
      if (cancelled.is_cancelled()) return nullptr;
      gpus.wake();
      poll(std::chrono::milliseconds(100));
      collect(early);
    }
  }

  const KnownModel& known_model() {
    if (!gpus.known()) any_ready_unless(never);
    return *gpus.known();
  }

  // Empty if one of them does not compile, or if it is cancelled.
  std::vector<protocol::Finalist> compile_finalists(const std::vector<model::NamedValues>& configurations) {
    // Afterwards the reference is compiled.
    if (any_ready_unless(cancellation) == nullptr) return {};
    return compiler.compile_finalists(configurations, cancellation);
  }

  // Runs work on one GPU for all finalists. Two GPUs of one model differ by more than the finalists do. The
  // result is empty if it is cancelled first.
  template <class Work>
  auto on_one_gpu(const Work& work) -> decltype(work(std::declval<GpuLink&>())) {
    while (true) {
      GpuLink* const gpu = any_ready_unless(cancellation);
      if (gpu == nullptr) return {};
      try {
        return work(*gpu);
      } catch (const base::Error& error) {
        if (!gpus.can_go_on_without(error)) throw;
        gpus.drop_out(*gpu, error.what());
      }
    }
  }

  base::Cancellation never;
  const base::Cancellation& cancellation;
  bool has_check;  ///< Whether the outputs of a launch can be compared.
  GpuTeam gpus;    ///< The first member: GPUs are prepared before compilers start.
  compiling::CandidateCompiler compiler;
  std::vector<evaluation::EvaluationEvent> early;  ///< Events that arrived while something else was awaited.
  std::vector<evaluation::EvaluationEvent> screened;  ///< Rejected before compiling.
  std::set<std::string> warned;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

ProcessEvaluator::ProcessEvaluator(const kernel_templates::KernelInstance& instance,
                                   const ProcessEvaluatorOptions& options, gpus::LocalGpus* gpus)
    : state_(std::make_unique<State>(instance, options, gpus)) {}

ProcessEvaluator::~ProcessEvaluator() = default;

std::size_t ProcessEvaluator::wanted() const {
  return evaluation::wanted_ahead(state_->compiler.workers(), state_->gpus.size(), pending());
}

void ProcessEvaluator::submit(evaluation::Candidate candidate) {
  if (const auto rejection = state_->compiler.submit(candidate))
    state_->screened.emplace_back(compiling::rejected(candidate, *rejection));
}

std::size_t ProcessEvaluator::pending() const {
  return state_->compiler.pending() + state_->gpus.pending() + state_->screened.size() +
         evaluation::count_measurements(state_->early);
}

bool ProcessEvaluator::is_ready() const { return state_->gpus.known().has_value(); }

std::vector<evaluation::EvaluationEvent> ProcessEvaluator::wait(std::chrono::milliseconds timeout) {
  std::vector<evaluation::EvaluationEvent> events = std::exchange(state_->early, {});
  for (evaluation::EvaluationEvent& event : std::exchange(state_->screened, {}))
    events.push_back(std::move(event));
  if (events.empty() && (pending() > 0 || !is_ready())) state_->poll(timeout);
  state_->collect(events);
  state_->gpus.feed();
  return events;
}

void ProcessEvaluator::drop_waiting() {
  state_->compiler.drop_waiting();
  state_->gpus.drop_waiting();
}

void ProcessEvaluator::set_incumbent(double median_ns) { state_->gpus.set_racing(median_ns > 0.0); }

void ProcessEvaluator::withdraw_incumbent() {
  state_->gpus.set_racing(false);
  state_->gpus.forget_best();
}

void ProcessEvaluator::set_finalist_times(double best_ns, double slowest_ns) {
  state_->gpus.set_finalist_times(best_ns, slowest_ns);
}

std::vector<evaluation::CounterEvent> ProcessEvaluator::close_counters() {
  return state_->gpus.close_counters();
}

std::vector<profiling::timing::FinalistTiming> ProcessEvaluator::time_interleaved(
    const std::vector<model::NamedValues>& configurations, int rounds) {
  if (pending() != 0) throw base::InternalError("finalists were to be timed while evaluations are pending");
  const std::vector<protocol::Finalist> finalists = state_->compile_finalists(configurations);
  if (finalists.size() != configurations.size()) return {};
  return state_->on_one_gpu([&](GpuLink& gpu) { return gpu.interleave({finalists, rounds}); });
}

std::optional<profiling::timing::Confirmation> ProcessEvaluator::confirm(
    const model::NamedValues& configuration) {
  if (pending() != 0) throw base::InternalError("a winner was to be confirmed while evaluations are pending");
  const std::vector<protocol::Finalist> finalists = state_->compile_finalists({configuration});
  profiling::timing::Confirmation failed;
  if (!finalists.empty()) {
    std::optional<profiling::timing::Confirmation> confirmation =
        state_->on_one_gpu([&](GpuLink& gpu) { return gpu.confirm({finalists.front()}); });
    if (!confirmation || !confirmation->has_passed() || confirmation->launches > 0 || !state_->has_check)
      return confirmation;
    failed.verdict = {model::Status::kWorkerDied, "the GPU worker confirmed it without a launch"};
    return failed;
  }
  if (state_->cancellation.is_cancelled()) return std::nullopt;
  failed.verdict = {model::Status::kCompileFailed,
                    "it compiled when it was measured, but not when it was to be confirmed"};
  return failed;
}

const model::Roofs& ProcessEvaluator::roofs() const { return state_->known_model().roofs; }
std::vector<model::RoofReading> ProcessEvaluator::new_roofs() const {
  return state_->known_model().new_roofs;
}
const model::Environment& ProcessEvaluator::environment() const { return state_->known_model().environment; }

double ProcessEvaluator::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->start).count();
}

std::vector<std::string> ProcessEvaluator::take_warnings() {
  std::vector<std::string> fresh;
  const auto add = [&](std::vector<std::string> warnings) {
    for (std::string& warning : warnings) {
      if (state_->warned.insert(warning).second) fresh.push_back(std::move(warning));
    }
  };
  add(state_->compiler.take_warnings());
  add(state_->gpus.take_warnings());
  return fresh;
}

}  // namespace warptune::tuner::workers
