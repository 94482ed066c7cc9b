#include "tuner/process_evaluator.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>

#include "base/error.h"
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
  set_up.ordinal = options.ordinals.front();
  set_up.seed = options.seed;
  set_up.count = options.count;
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

std::size_t worker_count(std::size_t asked) {
  return asked != 0 ? asked : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

struct ProcessEvaluator::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const ProcessEvaluatorOptions& options)
      : instance(kernel_instance),
        pool(worker_count(options.compile_workers), options.compile_deadline),
        gpu(set_up_of(kernel_instance, options, pool), options.evaluation_deadline) {}

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

  void feed_gpu() {
    while (!ready.empty() && gpu.can_take()) {
      gpu.evaluate(std::move(ready.front().candidate), ready.front().compiled, incumbent_ns);
      ready.pop_front();
    }
  }

  const kernel_templates::KernelInstance& instance;
  detail::CompilePool pool;
  detail::GpuLink gpu;
  std::map<std::uint64_t, Candidate> compiling;
  std::deque<Ready> ready;
  std::deque<EvaluationEvent> screened;  ///< Rejected before compiling.
  double incumbent_ns = 0.0;
  bool warned = false;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

ProcessEvaluator::ProcessEvaluator(const kernel_templates::KernelInstance& instance,
                                   const ProcessEvaluatorOptions& options)
    : state_(std::make_unique<State>(instance, options)) {}

ProcessEvaluator::~ProcessEvaluator() = default;

std::size_t ProcessEvaluator::wanted() const {
  // Each compile worker has one program and one behind it; a few compiled ones wait for the GPU.
  const std::size_t ahead = 2 * state_->pool.workers() + 4;
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
  return state_->compiling.size() + state_->ready.size() + state_->gpu.in_flight() + state_->screened.size();
}

std::vector<EvaluationEvent> ProcessEvaluator::wait(std::chrono::milliseconds timeout) {
  std::vector<EvaluationEvent> events(state_->screened.begin(), state_->screened.end());
  state_->screened.clear();
  if (events.empty() && pending() > 0) {
    const int wanted = state_->gpu.has_unsent() ? POLLIN | POLLOUT : POLLIN;
    std::vector<pollfd> polled = {{state_->gpu.descriptor(), static_cast<short>(wanted), 0}};
    for (const int descriptor : state_->pool.descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
  }
  state_->collect_compiled(events);
  for (EvaluationEvent& event : state_->gpu.collect()) events.push_back(std::move(event));
  state_->feed_gpu();
  return events;
}

void ProcessEvaluator::drop_waiting() {
  state_->pool.drop_waiting();
  state_->compiling.clear();
  state_->ready.clear();
}

void ProcessEvaluator::set_incumbent(double median_ns) { state_->incumbent_ns = median_ns; }

std::vector<CounterEvent> ProcessEvaluator::close_counters() { return state_->gpu.close_counters(); }

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
  return state_->gpu.interleave(finalists, compiled, rounds);
}

const search::Roofs& ProcessEvaluator::roofs() const { return state_->gpu.roofs(); }
const search::Environment& ProcessEvaluator::environment() const { return state_->gpu.environment(); }

double ProcessEvaluator::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->start).count();
}

std::vector<std::string> ProcessEvaluator::take_warnings() {
  std::vector<std::string> warnings;
  if (!state_->warned && !state_->gpu.counter_problem().empty())
    warnings.push_back(state_->gpu.counter_problem());
  state_->warned = true;
  return warnings;
}

profiling::GpuCensus find_gpus_in_worker() { return detail::take_census(); }

}  // namespace warptune::tuner
