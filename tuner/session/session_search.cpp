// A search that continues where an earlier session stopped.
//
// A strategy is deterministic: the same seed, space and results lead to the same choices. Therefore its state
// is not saved. Instead, the log of what it was asked and told is saved (`search::StrategyLog`). To restore a
// search, a new strategy gets the calls of the log again and so makes all its choices again. This costs time,
// so only logs of at most kMaxSaved configurations are saved.
//
// A search is restored only if each row of its log is still in the database, and no later session has
// measured it again. Otherwise a new strategy starts and is told all stored rows. A restored strategy is told
// the stored rows that its log lacks. Configurations that the log asked for and that have no result are
// evaluated first.
#include "tuner/session/session_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "model/row_sources.h"
#include "tuner/session/transfer.h"

namespace warptune::tuner::session {

using model::Status;

namespace {

// The maximum number of configurations in a saved log. For this many, the strategy `surrogate` makes its
// choices again in about a second.
constexpr std::size_t kMaxSaved = 500;

// Adds a configuration that is evaluated first, if the space contains it.
void add_first(const SessionPlan& plan, const model::NamedValues& values, search::StrategyOptions& options) {
  const base::Result<model::Configuration> chosen = plan.space.configuration_of(values);
  if (!chosen || !plan.space.contains(*chosen)) return;
  if (std::find(options.first.begin(), options.first.end(), *chosen) == options.first.end())
    options.first.push_back(*chosen);
}

bool needs_value(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

}  // namespace

std::optional<double> value_of(const model::Objective& objective, const model::Measurement& measurement) {
  return needs_value(measurement.status) ? objective.value(measurement) : std::nullopt;
}

std::optional<KnownRow> known_row(const SessionPlan& plan, db::StoredMeasurement stored) {
  model::Measurement& measurement = stored.measurement;
  const base::Result<model::Configuration> configuration =
      plan.space.configuration_of(measurement.configuration);
  if (!configuration) return std::nullopt;
  const std::optional<double> value = value_of(plan.objective, measurement);
  if (measurement.status == Status::kMeasured && !value) return std::nullopt;
  if (measurement.status == Status::kDropped && (!plan.objective.is_time() || plan.reproducible))
    return std::nullopt;
  measurement.samples_ns = {};
  return KnownRow{stored.id, stored.session_id, *configuration, std::move(measurement), value};
}

std::vector<KnownRow> known_rows(const SessionPlan& plan, const db::Store& store,
                                 const model::Workload& workload) {
  std::vector<KnownRow> known;
  for (db::StoredMeasurement& stored : plan.objective.is_time_like() ? store.uncounted_measurements(workload)
                                                                     : store.measurements(workload)) {
    if (std::optional<KnownRow> row = known_row(plan, std::move(stored))) known.push_back(std::move(*row));
  }
  return known;
}

SessionSearch::SessionSearch(const SessionPlan& plan, const db::Store& store)
    : searches_(plan.purpose.empty()) {
  search::StrategyOptions options;
  options.seed = plan.seed;
  options.evaluations = plan.budget.evaluations;
  if (!plan.budget.evaluations && !plan.budget.seconds) options.evaluations = plan.space.size();
  if (!plan.default_configuration.empty()) add_first(plan, plan.default_configuration, options);
  for (const model::NamedValues& named : plan.named) add_first(plan, named, options);
  if (plan.purpose.empty() && !plan.recommended.empty()) add_first(plan, plan.recommended, options);
  if (plan.transfer) {
    Transfer transfer = find_transfer(plan, store);
    options.first.insert(options.first.end(), transfer.best.begin(), transfer.best.end());
    options.source = std::move(transfer.source);
    source_ = std::move(transfer.origin);
  }
  if (!plan.fresh) known_ = known_rows(plan, store, plan.workload);
  // A session that can measure counts only measured rows as known, and a replay also earlier replays.
  model::keep_sources(known_, plan.source());
  restored_ = !plan.fresh && restore(plan, store, options);
  if (!restored_) log_ = std::make_unique<search::StrategyLog>(plan.strategy, plan.space, options);
  for (const KnownRow& row : known_) {
    if (!restored_ || !log_->was_told(row.configuration)) {
      tell(row.configuration, row.measurement.status, row.value);
    } else if (row.value) {
      ++rated_;
    }
  }
  const std::vector<model::Configuration> pending =
      plan.purpose.empty() ? log_->pending() : std::move(options.first);
  pending_.assign(pending.begin(), pending.end());
}

bool SessionSearch::restore(const SessionPlan& plan, const db::Store& store,
                            const search::StrategyOptions& options) {
  try {
    const std::optional<db::SearchState> saved =
        store.search_state(plan.workload, plan.strategy, plan.seed, plan.objective.text());
    if (!saved) return false;
    std::unique_ptr<search::StrategyLog> log = search::StrategyLog::restore(saved->text, plan.space, options);
    if (!fits(*log, saved->session_id)) return false;
    log_ = std::move(log);
    return true;
  } catch (const base::InputError& error) {
    base::log_info(fmt::format(
        "the saved search cannot be restored, so a new one begins from the stored rows: {}", error.what()));
    return false;
  }
}

// Whether each row of the log is still in the database, and no session after `session_id` has measured it
// again.
bool SessionSearch::fits(const search::StrategyLog& log, std::int64_t session_id) const {
  std::size_t told = 0;
  for (const KnownRow& row : known_) {
    if (!log.was_told(row.configuration)) continue;
    if (row.session_id > session_id) return false;
    ++told;
  }
  return told == log.told();
}

std::vector<model::Configuration> SessionSearch::ask(std::size_t count) {
  std::vector<model::Configuration> asked;
  while (asked.size() < count && !pending_.empty()) {
    asked.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  if (asked.size() == count || !searches_) return asked;
  std::vector<model::Configuration> more = log_->ask(count - asked.size());
  asked.insert(asked.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return asked;
}

void SessionSearch::tell(const model::Configuration& configuration, Status status,
                         std::optional<double> value) {
  if (value) ++rated_;
  log_->tell(
      {configuration, needs_value(status) && !value ? Status::kLaunchFailed : status, value.value_or(0.0)});
}

std::optional<double> SessionSearch::expected_gain(std::size_t evaluations) const {
  return log_->expected_gain(evaluations);
}

std::string SessionSearch::state() const {
  return log_->asked() <= kMaxSaved ? log_->to_text() : std::string();
}

}  // namespace warptune::tuner::session
