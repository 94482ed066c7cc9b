// Runs the loop of a session (session/loop/evaluation_loop.h) with a strategy and a simulated machine.
// Nothing is stored. The trace has an evaluation as soon as the session knows its result.
#include "tuner/replay/simulated_session.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "tuner/session/finals/finals.h"
#include "tuner/session/loop/evaluation_loop.h"

namespace warptune::tuner::replay {

namespace {

using model::Status;
using search::scoring::Trace;

double thread_cpu_s() { return std::chrono::duration<double>(base::thread_cpu_time()).count(); }

class SimulatedSession : public session::loop::LoopOwner {
 public:
  SimulatedSession(search::Strategy& strategy, const search::scoring::RecordedSpace& recorded,
                   const SessionSimulation& simulation)
      : strategy_(strategy),
        recorded_(recorded),
        simulation_(simulation),
        evaluator_(recorded, simulation.machine, simulation.cache) {}

  Trace finish(std::string_view name) {
    session::SearchRequest request;
    request.budget = simulation_.budget;
    request.strategy = name;
    session::loop::run_evaluation_loop(request, evaluator_, *this);
    trace_.session_s = evaluator_.elapsed_s() + evaluator_.final_rounds_s(finalists(), session::kFinalRounds);
    return std::move(trace_);
  }

  std::vector<model::Configuration> ask(std::size_t count) override {
    std::vector<model::Configuration> asked;
    const double measured_s = cpu_of([&] { asked = strategy_.ask(count); });
    evaluator_.spend(simulation_.choice_s ? *simulation_.choice_s * static_cast<double>(asked.size())
                                          : measured_s);
    return asked;
  }

  void submit(const model::Configuration& configuration) override {
    open_.emplace(++submitted_, configuration);
    evaluator_.submit({submitted_, recorded_.space().values_of(configuration)});
  }

  void take(std::vector<evaluation::EvaluationEvent> events) override {
    for (const evaluation::EvaluationEvent& event : events) {
      const auto& ended = std::get<evaluation::MeasurementEvent>(event);
      tell(open_.extract(ended.id).mapped(), ended.measurement);
    }
  }

  std::uint64_t submitted() const override { return submitted_; }
  bool is_cancelled() const override {
    return simulation_.stop_after && trace_.points.size() >= *simulation_.stop_after;
  }
  void begin() override {}
  bool take_missing_counters() override { return false; }
  bool has_reached_goal() const override { return false; }
  void end_turn() override {}

 private:
  // Calls the strategy and returns the CPU time of the call in s.
  template <class Call>
  double cpu_of(const Call& call) {
    const double before = thread_cpu_s();
    call();
    const double spent = thread_cpu_s() - before;
    trace_.add_cpu(spent);
    return spent;
  }

  void tell(const model::Configuration& configuration, const model::Measurement& measurement) {
    const bool measured = measurement.status == Status::kMeasured;
    const bool timed = measured || measurement.status == Status::kDropped;
    // The recorded space has a time for each row with one of these statuses.
    const double objective_ns = timed ? measurement.time->median_ns : 0.0;
    if (!is_cancelled()) {  // Evaluations that end after the last one are not part of the run.
      trace_.add(evaluator_.elapsed_s(), measured ? std::optional(objective_ns) : std::nullopt);
      if (measured) found_.push_back({objective_ns, configuration});
    }
    const double measured_s = cpu_of([&] {
      strategy_.tell({configuration, measurement.status, objective_ns});
    });
    if (!simulation_.choice_s) evaluator_.spend(measured_s);
  }

  // The configurations that the final rounds would time.
  std::vector<model::Configuration> finalists() {
    std::sort(found_.begin(), found_.end());
    std::vector<model::Configuration> finalists;
    for (const auto& [objective_ns, configuration] : found_) {
      const bool is_near = objective_ns <= session::finals::kFinalistRatio * found_.front().first;
      if (is_near && finalists.size() < session::finals::kMaxFinalists) finalists.push_back(configuration);
    }
    return finalists;
  }

  search::Strategy& strategy_;
  const search::scoring::RecordedSpace& recorded_;
  const SessionSimulation& simulation_;
  SimulatedEvaluator evaluator_;
  Trace trace_;
  std::uint64_t submitted_ = 0;
  std::unordered_map<std::uint64_t, model::Configuration> open_;  // By candidate id.
  std::vector<std::pair<double, model::Configuration>> found_;    // Objectives and configurations.
};

}  // namespace

Trace simulate_session(std::string_view name, search::Strategy& strategy,
                       const search::scoring::RecordedSpace& recorded, const SessionSimulation& simulation) {
  return SimulatedSession(strategy, recorded, simulation).finish(name);
}

Trace simulate_session(std::string_view name, const search::scoring::RecordedSpace& recorded,
                       const search::StrategyOptions& options, const SessionSimulation& simulation) {
  const double before = thread_cpu_s();
  const std::unique_ptr<search::Strategy> strategy = search::make_strategy(name, recorded.space(), options);
  const double making_s = thread_cpu_s() - before;
  Trace trace = simulate_session(name, *strategy, recorded, simulation);
  trace.strategy = name;
  trace.add_cpu(making_s);
  return trace;
}

}  // namespace warptune::tuner::replay
