#include "tuner/workers/process_evaluator.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "tuner/workers/compile_limits.h"
#include "tuner/workers/compile_pool.h"
#include "tuner/workers/gpu_link.h"
#include "tuner/workers/worker_process.h"

namespace warptune::tuner::workers {

using model::Rejection;
using model::Status;

namespace {

// What the compile pool calls the reference: no candidate has this number.
constexpr std::uint64_t kReferenceId = ~std::uint64_t{0};

std::vector<std::unique_ptr<GpuLink>> open_gpus(const kernel_templates::KernelInstance& instance,
                                                const ProcessEvaluatorOptions& options,
                                                gpus::LocalGpus* local_gpus) {
  std::unique_ptr<WorkerProcess> worker = local_gpus != nullptr ? local_gpus->take_worker() : nullptr;
  std::vector<std::unique_ptr<GpuLink>> gpus;
  const session::EvaluationLimit limit{options.longest_evaluation, options.timeout};
  for (const int ordinal : options.ordinals) {
    const bool takes_worker = worker != nullptr;
    gpus.push_back(takes_worker ? std::make_unique<GpuLink>(ordinal, limit, std::move(*worker))
                                : std::make_unique<GpuLink>(ordinal, limit));
    worker.reset();
    gpus.back()->prepare({instance.gpu(), ordinal, options.measuring, options.roofs, options.roofs_first});
    gpus.back()->set_up({std::filesystem::absolute(instance.definition().path).string(),
                         instance.definition().scope.granted(), instance.problem(), false});
  }
  return gpus;
}

}  // namespace

struct ProcessEvaluator::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const ProcessEvaluatorOptions& options,
        gpus::LocalGpus* local_gpus)
      : instance(kernel_instance),
        gpus(open_gpus(kernel_instance, options, local_gpus)),
        pool(options.compile_workers != 0 ? options.compile_workers : default_compile_workers(),
             options.compile_deadline, options.measuring.compile_cache) {
    base::log_debug("the GPUs are being prepared");
    if (instance.has_reference()) {
      compile_reference();
    } else {
      begin(std::nullopt);
    }
  }

  ~State() {
    for (const auto& gpu : gpus) gpu->ask_to_end();  // They end while the compile workers do.
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void compile_reference() {
    model::Outcome<kernel_templates::CompileRequest> request = instance.reference_request();
    if (!request) throw reference_error(": " + request.error().reason);
    pool.submit(kReferenceId, std::move(*request));
  }

  base::InputError reference_error(const std::string& problem) const {
    return base::InputError("the reference of [check]" + problem,
                            {instance.definition().path.string(), 0, 0});
  }

  void begin(const std::optional<kernel_templates::CompiledKernel>& reference) {
    for (const auto& gpu : gpus) gpu->begin({reference});
  }

  std::vector<protocol::Finalist> compile_finalists(const std::vector<model::NamedValues>& configurations);
  template <class Work>
  auto on_one_gpu(const Work& work);

  struct Ready {
    session::Candidate candidate;
    kernel_templates::CompiledKernel compiled;
  };

  session::MeasurementEvent rejected(const session::Candidate& candidate, const Rejection& rejection) const {
    session::MeasurementEvent event;
    event.id = candidate.id;
    event.measurement.configuration = candidate.configuration;
    event.measurement.status = rejection.status;
    event.measurement.reason = rejection.reason;
    return event;
  }

  void collect_compiled(std::vector<session::EvaluationEvent>& events) {
    for (CompileResult& result : pool.collect()) {
      if (result.id == kReferenceId) {
        if (!result.outcome) throw reference_error(" does not compile:\n" + result.outcome.error().reason);
        base::log_debug("the reference is compiled");
        begin(std::move(*result.outcome));
        continue;
      }
      const auto found = compiling.find(result.id);
      if (found == compiling.end()) continue;  // Dropped while it was being compiled.
      session::Candidate candidate = std::move(found->second);
      compiling.erase(found);
      base::log_debug(fmt::format("candidate {} is compiled", candidate.id));
      if (result.outcome) {
        ready.push_back({std::move(candidate), std::move(*result.outcome)});
      } else {
        events.emplace_back(rejected(candidate, result.outcome.error()));
      }
    }
  }

  // The GPU with the fewest evaluations that can take another, or null.
  GpuLink* free_gpu() {
    GpuLink* freest = nullptr;
    for (const auto& gpu : gpus) {
      if (gpu->can_take() && (freest == nullptr || gpu->in_flight() < freest->in_flight()))
        freest = gpu.get();
    }
    return freest;
  }

  void feed_gpus() {
    for (GpuLink* gpu = free_gpu(); gpu != nullptr; gpu = free_gpu()) {
      if (!taken_back.empty()) {
        gpu->evaluate(std::move(taken_back.front()));
        taken_back.pop_front();
      } else if (!ready.empty()) {
        // Each against its own best: two GPUs of one model differ, and so does a stored time of another day.
        gpu->evaluate({ready.front().candidate.id, std::move(ready.front().candidate.configuration),
                       std::move(ready.front().compiled), incumbent_ns > 0.0 ? gpu->best_ns() : 0.0});
        ready.pop_front();
      } else {
        return;
      }
    }
  }

  void collect_measured(std::vector<session::EvaluationEvent>& events) {
    for (std::size_t i = 0; i < gpus.size();) {
      try {
        for (session::EvaluationEvent& event : gpus[i]->collect()) events.push_back(std::move(event));
        ++i;
      } catch (const base::Error& error) {
        if (!others_can_go_on(error)) throw;
        drop_out(i, error.what());
      }
    }
  }

  bool others_can_go_on(const base::Error& error) const {
    return gpus.size() > 1 && error.kind() == base::ErrorKind::kMachine;
  }

  // The others go on; what it had at hand goes to them.
  void drop_out(std::size_t i, const std::string& why) {
    warnings.push_back(fmt::format("GPU {} drops out: {}", gpus[i]->ordinal(), why));
    for (protocol::Evaluate& message : gpus[i]->take_back()) taken_back.push_back(std::move(message));
    gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void drop_out(const GpuLink& gpu, const std::string& why) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i].get() == &gpu) return drop_out(i, why);
    }
  }

  std::size_t in_flight() const {
    std::size_t count = 0;
    for (const auto& gpu : gpus) count += gpu->in_flight();
    return count;
  }

  GpuLink* first_ready() const {
    const auto found =
        std::find_if(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu->is_ready(); });
    return found == gpus.end() ? nullptr : found->get();
  }

  // What the first GPU that is set up says of itself stays known when its worker is replaced. Roofs may come
  // later.
  void note_ready() {
    const GpuLink* const ready_gpu = known ? nullptr : first_ready();
    if (ready_gpu != nullptr) known = Known{ready_gpu->roofs(), {}, ready_gpu->environment(), false};
    if (!known || known->has_roofs) return;
    const auto found =
        std::find_if(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu->has_roofs(); });
    if (found == gpus.end()) return;
    known->roofs = (*found)->roofs();
    known->new_roofs = (*found)->new_roofs();
    known->has_roofs = true;
  }

  // The first GPU that is set up; waits for one.
  GpuLink& any_ready() {
    while (true) {
      note_ready();
      if (GpuLink* const gpu = first_ready()) return *gpu;
      for (const auto& gpu : gpus) gpu->wake();
      poll(std::chrono::milliseconds(100));
      collect_compiled(early);
      collect_measured(early);
    }
  }

  void poll(std::chrono::milliseconds timeout) {
    std::vector<pollfd> polled;
    for (const auto& gpu : gpus) {
      const int wanted = gpu->has_unsent() ? POLLIN | POLLOUT : POLLIN;
      polled.push_back({gpu->descriptor(), static_cast<short>(wanted), 0});
    }
    for (const int descriptor : pool.descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), pool.has_results() ? 0 : static_cast<int>(timeout.count()));
  }

  const auto& known_gpu() {
    if (!known) any_ready();
    return *known;
  }

  /// Of the GPUs' model.
  struct Known {
    model::Roofs roofs;
    std::vector<model::RoofReading> new_roofs;
    model::Environment environment;
    bool has_roofs = false;
  };

  const kernel_templates::KernelInstance& instance;
  std::vector<std::unique_ptr<GpuLink>> gpus;  ///< First: they are prepared while others compile.
  CompilePool pool;
  std::map<std::uint64_t, session::Candidate> compiling;
  std::deque<Ready> ready;
  std::deque<protocol::Evaluate> taken_back;      ///< Of GPUs that dropped out.
  std::vector<session::EvaluationEvent> early;    ///< Came while something else was waited for.
  std::deque<session::EvaluationEvent> screened;  ///< Rejected before compiling.
  std::optional<Known> known;
  std::vector<std::string> warnings;
  std::set<std::string> warned;
  double incumbent_ns = 0.0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

ProcessEvaluator::ProcessEvaluator(const kernel_templates::KernelInstance& instance,
                                   const ProcessEvaluatorOptions& options, gpus::LocalGpus* gpus)
    : state_(std::make_unique<State>(instance, options, gpus)) {}

ProcessEvaluator::~ProcessEvaluator() = default;

std::size_t ProcessEvaluator::wanted() const {
  // Each compile worker has one program and one behind it; a few compiled ones wait for each GPU.
  const std::size_t ahead = 2 * state_->pool.workers() + 4 * state_->gpus.size();
  const std::size_t outstanding = pending();
  return outstanding < ahead ? ahead - outstanding : 0;
}

void ProcessEvaluator::submit(session::Candidate candidate) {
  const model::Outcome<kernel_templates::LaunchPlan> plan =
      state_->instance.screened_plan(candidate.configuration);
  if (!plan) {
    state_->screened.emplace_back(state_->rejected(candidate, plan.error()));
    return;
  }
  model::Outcome<kernel_templates::CompileRequest> request =
      state_->instance.compile_request(candidate.configuration);
  if (!request) {
    state_->screened.emplace_back(state_->rejected(candidate, request.error()));
    return;
  }
  const std::uint64_t id = candidate.id;
  state_->compiling.emplace(id, std::move(candidate));
  state_->pool.submit(id, std::move(*request));
}

std::size_t ProcessEvaluator::pending() const {
  return state_->compiling.size() + state_->ready.size() + state_->taken_back.size() + state_->in_flight() +
         state_->screened.size() + session::count_measurements(state_->early);
}

bool ProcessEvaluator::is_ready() const { return state_->known.has_value(); }

std::vector<session::EvaluationEvent> ProcessEvaluator::wait(std::chrono::milliseconds timeout) {
  std::vector<session::EvaluationEvent> events;
  events.swap(state_->early);
  events.insert(events.end(), state_->screened.begin(), state_->screened.end());
  state_->screened.clear();
  if (events.empty() && (pending() > 0 || !is_ready())) state_->poll(timeout);
  state_->collect_compiled(events);
  state_->collect_measured(events);
  state_->note_ready();
  state_->feed_gpus();
  return events;
}

void ProcessEvaluator::drop_waiting() {
  state_->pool.drop_waiting();
  state_->compiling.clear();
  state_->ready.clear();
}

void ProcessEvaluator::set_incumbent(double median_ns) { state_->incumbent_ns = median_ns; }

void ProcessEvaluator::withdraw_incumbent() {
  state_->incumbent_ns = 0.0;
  for (const auto& gpu : state_->gpus) gpu->forget_best();
}

std::vector<session::CounterEvent> ProcessEvaluator::close_counters() {
  std::vector<session::CounterEvent> events;
  for (std::size_t i = 0; i < state_->gpus.size();) {
    try {
      for (session::CounterEvent& event : state_->gpus[i]->close_counters())
        events.push_back(std::move(event));
      ++i;
    } catch (const base::Error& error) {
      if (!state_->others_can_go_on(error)) throw;
      state_->drop_out(i, error.what());
    }
  }
  state_->note_ready();
  return events;
}

std::vector<protocol::Finalist> ProcessEvaluator::State::compile_finalists(
    const std::vector<model::NamedValues>& configurations) {
  std::vector<kernel_templates::CompileRequest> requests;
  for (const model::NamedValues& configuration : configurations) {
    model::Outcome<kernel_templates::CompileRequest> request = instance.compile_request(configuration);
    if (!request) return {};
    requests.push_back(std::move(*request));
  }
  any_ready();  // The reference has been compiled.
  std::vector<protocol::Finalist> finalists;
  std::vector<model::Outcome<kernel_templates::CompiledKernel>> outcomes =
      pool.compile_all(std::move(requests));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i]) return {};
    finalists.push_back({configurations[i], std::move(*outcomes[i])});
  }
  return finalists;
}

// One GPU for all: two of one model differ by more than the best do.
template <class Work>
auto ProcessEvaluator::State::on_one_gpu(const Work& work) {
  while (true) {
    GpuLink& gpu = any_ready();
    try {
      return work(gpu);
    } catch (const base::Error& error) {
      if (!others_can_go_on(error)) throw;
      drop_out(gpu, error.what());
    }
  }
}

std::vector<profiling::timing::FinalistTiming> ProcessEvaluator::time_interleaved(
    const std::vector<model::NamedValues>& configurations, int rounds) {
  if (pending() != 0) throw base::InternalError("finalists are timed when nothing else is pending");
  const std::vector<protocol::Finalist> finalists = state_->compile_finalists(configurations);
  if (finalists.size() != configurations.size()) return {};
  return state_->on_one_gpu([&](GpuLink& gpu) { return gpu.interleave({finalists, rounds}); });
}

std::optional<profiling::timing::Confirmation> ProcessEvaluator::confirm(
    const model::NamedValues& configuration) {
  if (pending() != 0) throw base::InternalError("a winner is confirmed when nothing else is pending");
  const std::vector<protocol::Finalist> finalists = state_->compile_finalists({configuration});
  if (finalists.empty()) return std::nullopt;
  return state_->on_one_gpu([&](GpuLink& gpu) { return gpu.confirm({finalists.front()}); });
}

const model::Roofs& ProcessEvaluator::roofs() const { return state_->known_gpu().roofs; }
std::vector<model::RoofReading> ProcessEvaluator::new_roofs() const { return state_->known_gpu().new_roofs; }
const model::Environment& ProcessEvaluator::environment() const { return state_->known_gpu().environment; }

double ProcessEvaluator::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->start).count();
}

std::vector<std::string> ProcessEvaluator::take_warnings() {
  std::vector<std::string> fresh;
  const auto add = [&](const std::string& warning) {
    if (state_->warned.insert(warning).second) fresh.push_back(warning);
  };
  for (const std::string& warning : std::exchange(state_->warnings, {})) add(warning);
  for (const std::string& warning : state_->pool.take_warnings()) add(warning);
  for (const auto& gpu : state_->gpus) {
    const std::string prefix = state_->gpus.size() > 1 ? fmt::format("GPU {}: ", gpu->ordinal()) : "";
    for (const std::string& warning : gpu->take_warnings()) add(prefix + warning);
  }
  return fresh;
}

}  // namespace warptune::tuner::workers
