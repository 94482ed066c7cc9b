#include "search/scoring/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/error.h"

namespace warptune::search::scoring {

namespace {

double thread_cpu_s() { return std::chrono::duration<double>(base::thread_cpu_time()).count(); }

// One run: asks the strategy, looks up the outcomes, reports them to it, and checks the strategy's contract.
class Run {
 public:
  Run(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options)
      : strategy_(strategy), recorded_(recorded), options_(options), asked_(recorded.rows().size()) {}

  Trace finish() {
    while (!is_over()) {
      if (open_.size() < options_.pending) ask();
      if (open_.empty()) break;
      tell();
    }
    return std::move(trace_);
  }

 private:
  bool is_over() const {
    const SimulationBudget& budget = options_.budget;
    const std::uint64_t done = trace_.points.size();
    if (budget.evaluations && done >= *budget.evaluations) return true;
    return budget.seconds && seconds_ >= *budget.seconds && done >= budget.min_evaluations;
  }

  void ask() {
    std::size_t count = options_.pending - open_.size();
    if (options_.budget.evaluations) {
      const std::uint64_t left = *options_.budget.evaluations - trace_.points.size() - open_.size();
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
    }
    if (count == 0) return;
    const double before = thread_cpu_s();
    std::vector<model::Configuration> next = strategy_.ask(count);
    trace_.add_cpu(thread_cpu_s() - before);
    for (model::Configuration& configuration : next) {
      const std::optional<std::uint64_t> index = recorded_.space().index_of(configuration);
      if (!index || asked_[*index]) {
        throw base::InternalError(fmt::format(
            "a strategy asked for {} {}",
            index ? "a configuration twice:" : "one outside of the space:", fmt::join(configuration, " ")));
      }
      asked_[*index] = true;
      open_.push_back({std::move(configuration), *index});
    }
  }

  void tell() {
    const Open open = std::move(open_.front());
    open_.pop_front();
    const ReplayRow& row = recorded_.rows()[open.index];
    seconds_ += row.cost_s;
    const bool timed = row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
    trace_.add(seconds_,
               row.status == model::Status::kMeasured ? std::optional(row.objective_ns) : std::nullopt);
    const double before = thread_cpu_s();
    strategy_.tell({open.configuration, row.status, timed ? row.objective_ns : 0.0});
    trace_.add_cpu(thread_cpu_s() - before);
  }

  struct Open {
    model::Configuration configuration;
    std::uint64_t index = 0;
  };

  Strategy& strategy_;
  const RecordedSpace& recorded_;
  const SimulationOptions& options_;
  std::vector<bool> asked_;
  std::deque<Open> open_;
  double seconds_ = 0.0;
  Trace trace_;
};

}  // namespace

void Trace::add(std::optional<double> seconds, std::optional<double> objective_ns) {
  const double best = points.empty() ? std::numeric_limits<double>::infinity() : points.back().best_ns;
  points.push_back({seconds, objective_ns, std::min(best, objective_ns.value_or(best))});
}

double Trace::best_after(std::uint64_t evaluations) const {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(evaluations, points.size()));
  return count == 0 ? std::numeric_limits<double>::infinity() : points[count - 1].best_ns;
}

double Trace::best_after_seconds(double seconds) const {
  const auto later = std::find_if(points.begin(), points.end(), [&](const TracePoint& point) {
    return !point.seconds || *point.seconds > seconds;
  });
  return best_after(static_cast<std::uint64_t>(later - points.begin()));
}

Trace simulate(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options) {
  if (options.pending == 0) throw base::InputError("expected at least one pending evaluation, found 0");
  return Run(strategy, recorded, options).finish();
}

Trace simulate(std::string_view strategy, const RecordedSpace& recorded, const SimulationOptions& options) {
  StrategyOptions strategy_options;
  strategy_options.seed = options.seed;
  strategy_options.first = options.first;
  strategy_options.source = options.source;
  strategy_options.evaluations = options.budget.evaluations;
  const double before = thread_cpu_s();
  const std::unique_ptr<Strategy> made = make_strategy(strategy, recorded.space(), strategy_options);
  const double making_s = thread_cpu_s() - before;
  Trace trace = simulate(*made, recorded, options);
  trace.strategy = strategy;
  trace.add_cpu(making_s);
  return trace;
}

}  // namespace warptune::search::scoring
