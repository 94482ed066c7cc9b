// Runs a session of `tuner/session` on a thread of the calling program.
//
// The thread blocks all signals except those of faults, so that the program's handlers run on the program's
// own threads. The session starts its workers on this thread, because the operating system ends a worker when
// the thread that started it ends.
#include "library/tuning/tuning_run.h"

#include <fmt/format.h>
#include <signal.h>

#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "library/problem_values.h"
#include "library/tuning/c_contents.h"
#include "library/tuning/worker_program.h"
#include "model/outputs/reproducibility.h"
#include "profiling/gpu.h"
#include "profiling/resident_context.h"
#include "search/strategy.h"
#include "tuner/processes/worker_program.h"
#include "tuner/session/counter_choice.h"
#include "tuner/text_output/tune_report.h"
#include "tuner/workers/workers.h"

namespace warptune::library::tuning {

namespace session = tuner::session;

namespace {

std::string text_or(const char* given, const char* usual) { return given == nullptr ? usual : given; }

// Blocks signals for the calling thread while the object lives. A thread that is created meanwhile inherits
// the mask and keeps it, so the program's other threads get the signals. Signals of faults are not blocked:
// the program's check runs on the new thread, and a blocked fault would end the process without the program's
// handler.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

session::SearchRequest search_of(const warptune_tuning_options& options) {
  session::SearchRequest search;
  search.budget = session::Budget::parse(text_or(options.budget, "60s"));
  search.strategy = text_or(options.strategy, "auto");
  search::strategy_info(search.strategy);  // Throws if no strategy has this name.
  search.objective = model::Objective::parse(text_or(options.objective, "time"));
  if (options.until != nullptr) search.goal = session::Goal::parse(options.until);
  if (options.reproducible != nullptr)
    search.reproducible = model::outputs::Reproducibility::parse(options.reproducible);
  search.fresh = options.fresh != 0;
  search.seed = options.seed != 0 ? options.seed : 1;
  return search;
}

session::TuningRequest request_of(const OpenLibrary& library, const warptune_tuning_options& options) {
  if (options.kernel == nullptr) throw base::InputError("expected the name of a kernel, found null");
  if (options.problem == nullptr && options.problem_count > 0)
    throw base::InputError("expected values for the problem, found null");
  if (library.options().cache == model::CacheState::kUnknown)
    throw base::InputError("a tuning needs a library whose cache_state is cold or warm, found unknown");
  session::TuningRequest request;
  request.kernel = options.kernel;
  request.search = search_of(options);
  request.measuring.seed = request.search.seed;
  request.measuring.cache = library.options().cache;
  request.measuring.compile_cache = library.compile_cache();
  session::CounterChoice::parse(text_or(options.metrics, options.in_this_process != 0 ? "none" : "core"))
      .apply(request.search.objective, request.measuring);
  request.compile_workers = options.compile_workers;
  request.database = library.database();
  request.measure_only = true;  // A program that wants a recording names it.
  if (options.recording != nullptr) request.recording = options.recording;
  return request;
}

// The ordinal of the device. A recording needs no device, so its number does not matter.
int device_of(const warptune_tuning_options& options) {
  if (options.device >= 0) return options.device;
  return options.recording != nullptr ? 0 : profiling::current_device();
}

}  // namespace

TuningRun::TuningRun(const OpenLibrary& library, const warptune_tuning_options& options)
    : request_(request_of(library, options)) {
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(request_.kernel);
  request_.sizes = problem_of(definition, {options.problem, options.problem_count});
  const int ordinal = device_of(options);
  request_.devices.ordinals = {ordinal};
  add_contents(data_, options, ordinal);
  if (options.check != nullptr && !request_.recording)
    data_.ask(check_of(options), {definition, request_.sizes, profiling::local_gpu(ordinal)});
  request_.contents = data_.contents();
  if (data_.has_check()) request_.judge = [this] { return data_.judge(); };
  const std::string program =
      request_.recording ? std::string() : worker_program_for(text_or(options.program, ""));
  // Copied here, because the program may change its environment when this call has returned.
  const std::vector<std::string> environment = tuner::processes::copy_of_environment();
  std::promise<void> ready;
  std::future<void> is_ready = ready.get_future();
  {
    const SignalsBlocked blocked;
    const bool in_this_process = options.in_this_process != 0;
    thread_ = std::thread(
        [=, this, &ready, &program, &environment] { run(ready, program, environment, in_this_process); });
  }
  try {
    is_ready.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

TuningRun::~TuningRun() {
  cancel();
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

// `ready`, `program` and `environment` belong to the constructor, and exist only until `ready` is set.
void TuningRun::run(std::promise<void>& ready, const std::string& program,
                    const std::vector<std::string>& environment, bool in_this_process) noexcept {
  std::optional<tuner::processes::ForeignWorkers> workers;
  std::optional<session::Tuning> tuning;
  try {
    tuner::processes::GpuLoop gpu_loop;
    if (in_this_process) gpu_loop = [](auto descriptor) { tuner::workers::serve_gpu(std::move(descriptor)); };
    if (!program.empty()) workers.emplace(program, environment, std::move(gpu_loop));
    tuning.emplace(request_);
  } catch (...) {
    return ready.set_exception(std::current_exception());
  }
  ready.set_value();
  try {
    note(tuning->run(0, events_, cancellation_));
  } catch (...) {
    failure_ = std::current_exception();
  }
  tuning.reset();  // Ends the session's workers. They must not be left when this thread ends.
  events_.end();
}

void TuningRun::note(const session::TuningOutcome& outcome) {
  const session::SessionResult& found = outcome.result;
  result_.cancelled = found.interrupted;
  result_.replayed = outcome.plan.replayed;
  result_.evaluated = found.progress.evaluated;
  const auto wrong = found.progress.by_status.find(model::Status::kWrongResult);
  if (wrong != found.progress.by_status.end()) result_.wrong = wrong->second;
  result_.gpu = outcome.plan.workload.gpu.name;
  result_.session = found.session_id;
  if (found.default_measurement) result_.default_median_ns = model::median_ns_of(*found.default_measurement);
  if (found.best) {
    result_.median_ns = model::median_ns_of(*found.best);
    result_.configuration = model::to_text(found.best->configuration);
  }
  if (outcome.failed_cases > 0) throw session::failed_cases_error(outcome.failed_cases);
  if (!found.best && !found.interrupted) {
    throw tuner::text_output::nothing_measured_in(outcome, db::Store::open_existing(request_.database));
  }
}

const TuningResult& TuningRun::finish(std::exception_ptr& failure) {
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
  failure = failure_;
  return result_;
}

}  // namespace warptune::library::tuning
