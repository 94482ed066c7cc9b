// Follows each evaluation of a search: stores it, informs the strategy, and compares it with the best so far.
#include "tuner/session/rated_evaluations.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "model/row_sources.h"

namespace warptune::tuner::session {

using model::Status;

namespace {

bool has_run(const model::Measurement& measurement) {
  return measurement.status == Status::kMeasured || measurement.status == Status::kDropped;
}

std::string reason_of(const model::Measurement& measurement) {
  return fmt::format("{}: {}", model::to_string(measurement.status), base::first_line(measurement.reason));
}

}  // namespace

void RatedEvaluations::submit(const model::Configuration& configuration) {
  asked_.emplace(next_id_, configuration);
  evaluator_.submit({next_id_, plan_.space.values_of(configuration)});
  ++next_id_;
  ++submitted_;
}

void RatedEvaluations::take(evaluation::EvaluationEvent& event) {
  if (const auto* counted = std::get_if<evaluation::CounterEvent>(&event)) return take_counters(*counted);
  if (const auto* unknown = std::get_if<evaluation::UnknownEvent>(&event)) return forget(unknown->id);
  auto& [id, measurement] = std::get<evaluation::MeasurementEvent>(event);
  take_measurement(id, std::move(measurement));
}

// The recording lacks the configuration. For the strategy this is a failure.
void RatedEvaluations::forget(std::uint64_t id) {
  search_.tell(asked_.at(id), Status::kLaunchFailed, std::nullopt);
  asked_.erase(id);
  --submitted_;
}

void RatedEvaluations::take_measurement(std::uint64_t id, model::Measurement measurement) {
  const std::int64_t row = recorder_.add(measurement);
  ++result_.progress.evaluated;
  ++result_.progress.by_status[measurement.status];
  if (!has_run(measurement) && !measurement.reason.empty()) ++result_.reasons[reason_of(measurement)];
  rate(id, row, std::move(measurement));
}

// Informs the strategy, or keeps the measurement until its counters arrive.
void RatedEvaluations::rate(std::uint64_t id, std::int64_t row, model::Measurement measurement) {
  const bool ran = has_run(measurement);
  const std::optional<double> value = value_of(plan_.objective, measurement);
  // An objective that needs more than the time (one that is not `is_time_like`) may have no value before the
  // counters arrive.
  const bool waits = ran && !value && !plan_.objective.is_time_like();
  if (!waits) {
    search_.tell(asked_.at(id), measurement.status, value);
    note_best(measurement, value);
    asked_.erase(id);
  }
  if (!ran) return;
  // Rows are kept until their counters arrive, and there may be many. So what is not needed then is removed.
  if (waits) {
    ++waiting_;
  } else {
    measurement.configuration = {};
  }
  measurement.samples_ns = {};
  uncounted_[id] = {row, waits, std::move(measurement)};
}

bool RatedEvaluations::note_best(const model::Measurement& measurement, std::optional<double> value) {
  if (!is_rankable(measurement) || !value) return false;
  SessionProgress& progress = result_.progress;
  if (progress.best_value && *progress.best_value <= *value) return false;
  progress.best_value = value;
  evaluated_at_best_ = progress.evaluated;
  progress.best_time = measurement.time;
  progress.best = measurement.configuration;
  // The race compares times. So only an objective that is the time itself has an incumbent.
  if (plan_.objective.is_time()) evaluator_.set_incumbent(measurement.time->median_ns);
  return true;
}

void RatedEvaluations::take_counters(const evaluation::CounterEvent& event) {
  const auto found = uncounted_.find(event.id);
  if (found == uncounted_.end()) return;
  Uncounted& row = found->second;
  const Status before = row.measurement.status;
  recorder_.add_counters(row.row, row.measurement, event.counters);
  if (row.measurement.status != before) withdraw(before, row.measurement.status);
  if (row.waits) rate_with_counters(event.id, row);
  uncounted_.erase(found);
}

// Corrects the progress after counters have changed a row's status. The row may have been the best, against
// which other candidates raced.
void RatedEvaluations::withdraw(Status before, Status after) {
  SessionProgress& progress = result_.progress;
  if (--progress.by_status[before] == 0) progress.by_status.erase(before);
  ++progress.by_status[after];
  choose_best_again();
}

void RatedEvaluations::choose_best_again() {
  SessionProgress& progress = result_.progress;
  progress.best_value.reset();
  progress.best_time.reset();
  progress.best = {};
  evaluator_.withdraw_incumbent();
  const db::Store& store = recorder_.store();
  std::vector<db::StoredMeasurement> rows =
      plan_.fresh ? store.session_measurements(result_.session_id) : store.measurements(plan_.workload);
  model::keep_sources(rows, plan_.source());
  for (const db::StoredMeasurement& row : rows)
    note_best(row.measurement, value_of(plan_.objective, row.measurement));
}

void RatedEvaluations::rate_with_counters(std::uint64_t id, const Uncounted& row) {
  const std::optional<double> value = value_of(plan_.objective, row.measurement);
  search_.tell(asked_.at(id), row.measurement.status, value);
  note_best(row.measurement, value);
  if (!value) ++result_.unrated;
  asked_.erase(id);
  --waiting_;
}

// The others wait for their counters.
void RatedEvaluations::give_up_dropped() {
  std::erase_if(asked_, [this](const auto& entry) {
    if (uncounted_.contains(entry.first)) return false;
    search_.give_up(entry.second);
    return true;
  });
}

// The rows that still wait get no counters, so they may have no value. Such rows are counted as unrated.
void RatedEvaluations::settle() {
  for (const auto& [id, row] : uncounted_) {
    if (row.waits) rate_with_counters(id, row);
  }
  uncounted_.clear();
}

}  // namespace warptune::tuner::session
