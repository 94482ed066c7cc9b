#include "profiling/counters/counter_collector.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace warptune::profiling::counters {

// If counters are not wanted, `started_` is true from the beginning, so that `start` does nothing.
CounterCollector::CounterCollector(std::string chip, CounterSource source, bool count)
    : chip_(std::move(chip)), source_(std::move(source)), started_(!count) {}

CounterCollector::CounterCollector(const driver::Context& context, const std::string& chip,
                                   const RunnerOptions& options, std::function<void()> warm_up)
    : CounterCollector(chip,
                       {[chip, metrics = options.metrics] { return choose_metrics(chip, metrics); },
                        [&context, chip, batch = options.counter_batch,
                         warm_up = std::move(warm_up)](const std::vector<std::string>& metrics) {
                          return std::make_unique<CounterSession>(context.get(), chip, metrics, batch,
                                                                  warm_up);
                        }},
                       options.count) {}

void CounterCollector::start() {
  if (std::exchange(started_, true)) return;
  try {
    const MetricChoice choice = source_.choose();
    warnings_ = choice.warnings;
    base::log_debug("the counters are chosen");
    if (choice.metrics.empty()) {
      give_up(fmt::format("no hardware counters: chip \"{}\" has none of the metrics", chip_));
      return;
    }
    session_ = source_.make_session(choice.metrics);
    base::log_debug("the profiler is enabled");
    session_->open();
    base::log_debug("the first profiler session is open");
  } catch (const base::Error& error) {  // The session continues without counters.
    give_up(fmt::format("no hardware counters: {}", error.what()));
    session_.reset();
  }
}

bool CounterCollector::count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch,
                             bool is_graph) {
  if (!session_) return false;
  try {
    session_->count(id, std::move(prepare), std::move(launch), std::nullopt, is_graph);
    return true;
  } catch (const CuptiError& error) {
    end(error.what());
    return false;
  }
}

void CounterCollector::set_expected_time_of_last(double expected_ns) {
  if (session_) session_->set_expected_time_of_last(expected_ns);
}

void CounterCollector::pause() { close(true); }

void CounterCollector::close(bool opens_again) {
  if (!session_) return;
  try {
    session_->close(opens_again);
  } catch (const CuptiError& error) {
    end(error.what());
  }
}

std::vector<CounterReading> CounterCollector::take(bool close_session) {
  if (close_session) close(false);
  std::vector<CounterReading> taken;
  taken.swap(readings_);
  if (session_) {
    for (CounterReading& reading : session_->take()) taken.push_back(std::move(reading));
  }
  return taken;
}

void CounterCollector::abandon() {
  if (session_) session_->abandon();
}

std::vector<std::string> CounterCollector::take_warnings() { return std::exchange(warnings_, {}); }

// Stores the reason, and adds a warning. The caller has to reset `session_`.
void CounterCollector::give_up(std::string problem) {
  problem_ = std::move(problem);
  warnings_.push_back(problem_);
}

// Ends counting after a failure. The readings of earlier launches are kept.
void CounterCollector::end(const std::string& problem) {
  give_up("no hardware counters any more: " + problem);
  if (!session_) return;
  for (CounterReading& reading : session_->take()) readings_.push_back(std::move(reading));
  session_.reset();
}

}  // namespace warptune::profiling::counters
