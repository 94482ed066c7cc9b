#include "profiling/detail/counting.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "profiling/detail/derived_metrics.h"
#include "profiling/detail/metric_planner.h"
#include "profiling/metrics.h"

namespace warptune::profiling::detail {

namespace {

/// The metrics to read: the core set as far as it fits one pass, or those asked for that the chip has.
std::vector<std::string> choose_metrics(const std::string& chip, const std::vector<std::string>& asked) {
  if (asked.empty()) return fit_one_pass(chip, core_metrics());
  std::vector<std::string> known;
  for (const std::string& metric : expand_derived_metrics(asked)) {
    if (has_metric(chip, metric)) {
      known.push_back(metric);
    } else {
      base::log_warning(fmt::format("{} has no metric {}: it is left out", chip, metric));
    }
  }
  return known;
}

}  // namespace

Counting::Counting(const Context& context, const std::string& chip, const RunnerOptions& options) {
  if (!options.count) return;
  try {
    const std::vector<std::string> metrics = choose_metrics(chip, options.metrics);
    if (metrics.empty()) {
      problem_ = fmt::format("chip \"{}\" has none of the metrics", chip);
      return;
    }
    session_ = std::make_unique<CounterSession>(context.get(), chip, metrics, options.counter_batch);
    session_->open();
  } catch (const base::Error& error) {  // Whoever asked for counters says it: `problem`.
    problem_ = fmt::format("no hardware counters: {}", error.what());
    session_.reset();
  }
}

bool Counting::count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch) {
  if (!session_) return false;
  try {
    session_->count(id, std::move(prepare), std::move(launch));
    return true;
  } catch (const CuptiError& error) {
    end(error.what());
    return false;
  }
}

std::vector<CounterReading> Counting::take(bool close) {
  if (session_ && close) {
    try {
      session_->close();
    } catch (const CuptiError& error) {
      end(error.what());
    }
  }
  std::vector<CounterReading> taken;
  taken.swap(readings_);
  if (session_) {
    for (CounterReading& reading : session_->take()) taken.push_back(std::move(reading));
  }
  return taken;
}

void Counting::abandon() {
  if (session_) session_->abandon();
}

void Counting::end(const std::string& problem) {
  problem_ = "no hardware counters: " + problem;
  base::log_warning(problem_);
  if (!session_) return;
  for (CounterReading& reading : session_->take()) readings_.push_back(std::move(reading));
  session_.reset();
}

}  // namespace warptune::profiling::detail
