#include "tuner/session/configuration_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/confirmation.h"
#include "db/preference.h"

namespace warptune::tuner::session {

ConfigurationRunner::ConfigurationRunner(db::Session session, const Budget& budget,
                                         evaluation::Evaluator& evaluator, db::Store& store,
                                         SessionListener& listener, const base::Cancellation& cancellation,
                                         profiling::verification::DeclaredWork declared)
    : session_(std::move(session)),
      declared_(std::move(declared)),
      budget_(budget),
      evaluator_(evaluator),
      cancellation_(cancellation),
      recorder_(store, listener) {
  session_.budget = budget_.text;
}

ConfigurationRunner::~ConfigurationRunner() {
  try {
    recorder_.finish(cancellation_.is_cancelled());
  } catch (const std::exception& error) {  // The rows are stored; only the session's end is not.
    base::log_warning(error.what());
  }
}

bool ConfigurationRunner::must_stop() {
  out_of_budget_ = out_of_budget_ || (budget_.seconds && evaluator_.elapsed_s() >= *budget_.seconds);
  return out_of_budget_ || cancellation_.is_cancelled();
}

void ConfigurationRunner::take_counters(const evaluation::CounterEvent& event) {
  const auto found = rows_.find(event.id);
  if (found == rows_.end()) return;
  recorder_.add_counters(found->second.id, found->second.measurement, event.counters);
}

void ConfigurationRunner::take(evaluation::EvaluationEvent& event) {
  if (const auto* counted = std::get_if<evaluation::CounterEvent>(&event)) {
    take_counters(*counted);
    return;
  }
  auto* measured = std::get_if<evaluation::MeasurementEvent>(&event);
  if (measured == nullptr) return;  // A recording lacks it: there is nothing to store.
  std::optional<db::StoredMeasurement> earlier =
      recorder_.store().latest_measurement(session_.workload, measured->measurement.configuration);
  std::optional<model::Rejection> standing;
  if (earlier) standing = db::standing_rejection(recorder_.store(), *earlier, *recorder_.session_id());
  if (standing) measured->measurement.counters.merge(db::rejection_mark());
  const std::int64_t id = recorder_.add(measured->measurement);
  if (standing) {
    recorder_.store().reject(id, *standing);
    recorder_.warn({fmt::format("{} stays rejected: {}", model::to_text(measured->measurement.configuration),
                                standing->reason)});
  }
  rows_[measured->id] = {id, std::move(measured->measurement), std::move(earlier)};
}

void ConfigurationRunner::take_all(std::vector<evaluation::EvaluationEvent> events) {
  if (events.empty()) return;
  const bool measured =
      std::any_of(events.begin(), events.end(), [](const evaluation::EvaluationEvent& event) {
        return std::holds_alternative<evaluation::MeasurementEvent>(event);
      });
  if (measured && !recorder_.session_id()) recorder_.begin(session_, evaluator_, declared_);
  db::Store::Batch batch(recorder_.store());
  for (evaluation::EvaluationEvent& event : events) take(event);
  batch.commit();
}

std::vector<model::Measurement> ConfigurationRunner::measure(
    const std::vector<model::NamedValues>& configurations) {
  std::size_t next = 0;
  bool stopped = false;
  std::vector<evaluation::EvaluationEvent>
      events;  // Kept until the evaluator is ready and the session begins.
  while (true) {
    if (!stopped && must_stop()) {
      stopped = true;
      evaluator_.drop_waiting();
    }
    std::size_t wanted = stopped ? 0 : evaluator_.wanted();
    for (; wanted > 0 && next < configurations.size(); --wanted) {
      if (budget_.evaluations && next_id_ > *budget_.evaluations) {
        out_of_budget_ = stopped = true;
        break;
      }
      evaluator_.submit({next_id_++, configurations[next++]});
    }
    if (evaluator_.pending() == 0 && events.empty() && (stopped || next == configurations.size())) break;
    for (evaluation::EvaluationEvent& event : evaluator_.wait(evaluation::Evaluator::kPollInterval))
      events.push_back(std::move(event));
    recorder_.warn(evaluator_.take_warnings());
    if (!evaluator_.is_ready()) {
      if (cancellation_.is_cancelled()) return {};
      continue;
    }
    take_all(std::exchange(events, {}));
  }
  for (const evaluation::CounterEvent& event : evaluator_.close_counters()) take_counters(event);
  recorder_.note_roofs(evaluator_);
  recorder_.warn(evaluator_.take_warnings());
  std::vector<model::Measurement> measured;
  measured.reserve(rows_.size());
  for (auto& [id, row] : std::exchange(rows_, {})) {
    // Not before: counters that arrive replace those of the row.
    if (const auto newer = recorder_.store().measurement(row.id); newer && row.earlier)
      db::keep_preference(recorder_.store(), *row.earlier, *newer);
    db::erase_confirmation(row.measurement.counters);
    measured.push_back(std::move(row.measurement));
  }
  return measured;
}

}  // namespace warptune::tuner::session
