#include "tuner/process_evaluator.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/error.h"
#include "tuner/detail/compile_limits.h"
#include "tuner/detail/compile_pool.h"
#include "tuner/detail/gpu_link.h"

namespace warptune::tuner {

using search::Rejection;
using search::Status;

namespace {

detail::GpuSetUp set_up_of(const kernel_templates::KernelInstance& instance,
                           const ProcessEvaluatorOptions& options, detail::CompilePool& pool) {
  detail::GpuSetUp set_up;
  set_up.kernel = std::filesystem::absolute(instance.definition().path).string();
  set_up.problem = instance.problem();
  set_up.gpu = instance.gpu();
  set_up.seed = options.seed;
  set_up.cache = options.cache;
  set_up.count = options.count;
  set_up.metrics = options.metrics;
  set_up.thorough = options.thorough;
  set_up.measure_energy = options.measure_energy;
  set_up.measure_error = options.measure_error;
  set_up.compile_cache = options.compile_cache;
  set_up.roofs = options.roofs;
  if (!instance.has_reference()) return set_up;
  const base::SourcePosition where{instance.definition().path.string(), 0, 0};
  search::Outcome<kernel_templates::CompileRequest> request = instance.reference_request();
  if (!request) throw base::InputError("the reference of [check]: " + request.error().reason, where);
  search::Outcome<kernel_templates::CompiledKernel> compiled =
      std::move(pool.compile_all({std::move(*request)}).front());
  if (!compiled)
    throw base::InputError("the reference of [check] does not compile:\n" + compiled.error().reason, where);
  set_up.reference = std::move(*compiled);
  return set_up;
}

std::vector<std::unique_ptr<detail::GpuLink>> open_gpus(const ProcessEvaluatorOptions& options) {
  std::vector<std::unique_ptr<detail::GpuLink>> gpus;
  for (const int ordinal : options.ordinals) {
    std::optional<detail::WorkerProcess> spare = detail::take_spare_worker();
    gpus.push_back(
        spare ? std::make_unique<detail::GpuLink>(ordinal, options.evaluation_deadline, std::move(*spare))
              : std::make_unique<detail::GpuLink>(ordinal, options.evaluation_deadline));
  }
  return gpus;
}

}  // namespace

struct ProcessEvaluator::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const ProcessEvaluatorOptions& options)
      : instance(kernel_instance),
        pool(options.compile_workers != 0 ? options.compile_workers : detail::default_compile_workers(),
             options.compile_deadline, options.compile_cache),
        gpus(open_gpus(options)) {  // They open while the reference is compiled.
    const detail::GpuSetUp set_up = set_up_of(kernel_instance, options, pool);
    for (const auto& gpu : gpus) gpu->set_up(set_up);
  }

  struct Ready {
    Candidate candidate;
    kernel_templates::CompiledKernel compiled;
  };

  MeasurementEvent rejected(const Candidate& candidate, const Rejection& rejection) const {
    MeasurementEvent event;
    event.id = candidate.id;
    event.measurement.configuration = candidate.configuration;
    event.measurement.status = rejection.status;
    event.measurement.reason = rejection.reason;
    return event;
  }

  void collect_compiled(std::vector<EvaluationEvent>& events) {
    for (detail::CompileResult& result : pool.collect()) {
      const auto found = compiling.find(result.id);
      if (found == compiling.end()) continue;  // Dropped while it was being compiled.
      Candidate candidate = std::move(found->second);
      compiling.erase(found);
      if (result.outcome) {
        ready.push_back({std::move(candidate), std::move(*result.outcome)});
      } else {
        events.emplace_back(rejected(candidate, result.outcome.error()));
      }
    }
  }

  // The GPU with the fewest evaluations that can take another, or null.
  detail::GpuLink* free_gpu() {
    detail::GpuLink* freest = nullptr;
    for (const auto& gpu : gpus) {
      if (gpu->can_take() && (freest == nullptr || gpu->in_flight() < freest->in_flight()))
        freest = gpu.get();
    }
    return freest;
  }

  void feed_gpus() {
    for (detail::GpuLink* gpu = free_gpu(); gpu != nullptr; gpu = free_gpu()) {
      if (!taken_back.empty()) {
        gpu->evaluate(std::move(taken_back.front()));
        taken_back.pop_front();
      } else if (!ready.empty()) {
        // Each against its own best: two GPUs of one model differ, and so does a stored time of another day.
        gpu->evaluate(std::move(ready.front().candidate), ready.front().compiled,
                      incumbent_ns > 0.0 ? gpu->best_ns() : 0.0);
        ready.pop_front();
      } else {
        return;
      }
    }
  }

  void collect_measured(std::vector<EvaluationEvent>& events) {
    for (std::size_t i = 0; i < gpus.size();) {
      try {
        for (EvaluationEvent& event : gpus[i]->collect()) events.push_back(std::move(event));
        ++i;
      } catch (const base::Error& error) {
        if (!others_can_go_on(error)) throw;
        drop_out(i, error.what());
      }
    }
  }

  // What a worker reports is a `base::Error` with the code of what it was.
  bool others_can_go_on(const base::Error& error) const {
    return gpus.size() > 1 && error.exit_code() == base::ExitCode::kMachineCannot;
  }

  // The others go on; what it had at hand goes to them.
  void drop_out(std::size_t i, const std::string& why) {
    warnings.push_back(fmt::format("GPU {} drops out: {}", gpus[i]->ordinal(), why));
    for (detail::GpuLink::Flight& flight : gpus[i]->take_back()) taken_back.push_back(std::move(flight));
    gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void drop_out(const detail::GpuLink& gpu, const std::string& why) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i].get() == &gpu) return drop_out(i, why);
    }
  }

  std::size_t in_flight() const {
    std::size_t count = 0;
    for (const auto& gpu : gpus) count += gpu->in_flight();
    return count;
  }

  // The first GPU that is set up; waits for one.
  detail::GpuLink& any_ready() {
    while (true) {
      for (const auto& gpu : gpus) {
        if (gpu->is_ready()) return *gpu;
      }
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
    ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
  }

  const kernel_templates::KernelInstance& instance;
  detail::CompilePool pool;
  std::vector<std::unique_ptr<detail::GpuLink>> gpus;
  std::map<std::uint64_t, Candidate> compiling;
  std::deque<Ready> ready;
  std::deque<detail::GpuLink::Flight> taken_back;  ///< Of GPUs that dropped out.
  std::vector<EvaluationEvent> early;              ///< Came while something else was waited for.
  std::deque<EvaluationEvent> screened;            ///< Rejected before compiling.
  std::vector<std::string> warnings;
  std::set<std::string> warned;
  double incumbent_ns = 0.0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

ProcessEvaluator::ProcessEvaluator(const kernel_templates::KernelInstance& instance,
                                   const ProcessEvaluatorOptions& options)
    : state_(std::make_unique<State>(instance, options)) {}

ProcessEvaluator::~ProcessEvaluator() = default;

std::size_t ProcessEvaluator::wanted() const {
  // Each compile worker has one program and one behind it; a few compiled ones wait for each GPU.
  const std::size_t ahead = 2 * state_->pool.workers() + 4 * state_->gpus.size();
  const std::size_t outstanding = pending();
  return outstanding < ahead ? ahead - outstanding : 0;
}

void ProcessEvaluator::submit(Candidate candidate) {
  const search::Outcome<kernel_templates::LaunchPlan> plan =
      state_->instance.screened_plan(candidate.configuration);
  if (!plan) {
    state_->screened.emplace_back(state_->rejected(candidate, plan.error()));
    return;
  }
  search::Outcome<kernel_templates::CompileRequest> request =
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
         state_->screened.size();
}

std::vector<EvaluationEvent> ProcessEvaluator::wait(std::chrono::milliseconds timeout) {
  std::vector<EvaluationEvent> events;
  events.swap(state_->early);
  events.insert(events.end(), state_->screened.begin(), state_->screened.end());
  state_->screened.clear();
  if (events.empty() && pending() > 0) state_->poll(timeout);
  state_->collect_compiled(events);
  state_->collect_measured(events);
  state_->feed_gpus();
  return events;
}

void ProcessEvaluator::drop_waiting() {
  state_->pool.drop_waiting();
  state_->compiling.clear();
  state_->ready.clear();
}

void ProcessEvaluator::set_incumbent(double median_ns) { state_->incumbent_ns = median_ns; }

std::vector<CounterEvent> ProcessEvaluator::close_counters() {
  std::vector<CounterEvent> events;
  for (std::size_t i = 0; i < state_->gpus.size();) {
    try {
      for (CounterEvent& event : state_->gpus[i]->close_counters()) events.push_back(std::move(event));
      ++i;
    } catch (const base::Error& error) {
      if (!state_->others_can_go_on(error)) throw;
      state_->drop_out(i, error.what());
    }
  }
  return events;
}

std::vector<std::vector<double>> ProcessEvaluator::time_interleaved(
    const std::vector<search::NamedValues>& finalists, int rounds) {
  if (pending() != 0) throw base::InternalError("finalists are timed when nothing else is pending");
  std::vector<kernel_templates::CompileRequest> requests;
  for (const search::NamedValues& configuration : finalists) {
    search::Outcome<kernel_templates::CompileRequest> request =
        state_->instance.compile_request(configuration);
    if (!request) return {};
    requests.push_back(std::move(*request));
  }
  std::vector<kernel_templates::CompiledKernel> compiled;
  for (search::Outcome<kernel_templates::CompiledKernel>& outcome :
       state_->pool.compile_all(std::move(requests))) {
    if (!outcome) return {};
    compiled.push_back(std::move(*outcome));
  }
  // One GPU for all: two of one model differ by more than the best do.
  while (true) {
    detail::GpuLink& gpu = state_->any_ready();
    try {
      return gpu.interleave(finalists, compiled, rounds);
    } catch (const base::Error& error) {
      if (!state_->others_can_go_on(error)) throw;
      state_->drop_out(gpu, error.what());
    }
  }
}

const search::Roofs& ProcessEvaluator::roofs() const { return state_->any_ready().roofs(); }
std::vector<search::RoofReading> ProcessEvaluator::new_roofs() const {
  return state_->any_ready().new_roofs();
}
const search::Environment& ProcessEvaluator::environment() const { return state_->any_ready().environment(); }

double ProcessEvaluator::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->start).count();
}

std::vector<std::string> ProcessEvaluator::take_warnings() {
  std::vector<std::string> fresh;
  const auto add = [&](const std::string& warning) {
    if (state_->warned.insert(warning).second) fresh.push_back(warning);
  };
  for (const std::string& warning : std::exchange(state_->warnings, {})) add(warning);
  for (const auto& gpu : state_->gpus) {
    const std::string prefix = state_->gpus.size() > 1 ? fmt::format("GPU {}: ", gpu->ordinal()) : "";
    for (const std::string& warning : gpu->take_warnings()) add(prefix + warning);
  }
  return fresh;
}

profiling::GpuCensus find_gpus_in_worker() { return detail::take_census(); }

profiling::RoofSurvey survey_roofs_in_worker(const search::GpuDescription& gpu, int ordinal,
                                             const std::filesystem::path& compile_cache) {
  return detail::take_roof_survey(gpu, ordinal, compile_cache);
}

}  // namespace warptune::tuner
