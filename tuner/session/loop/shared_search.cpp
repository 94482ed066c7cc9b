// Shares the configurations of a search with other sessions.
//
// The strategy is asked until enough of its configurations are claimed. Those that others have claimed stay
// pending for it, like those that are being evaluated. Two searches with the same seed ask for the same
// configurations, so each gets a part of them and learns from the rows of both.
#include "tuner/session/loop/shared_search.h"

#include <optional>
#include <utility>

namespace warptune::tuner::session::loop {

SharedSearch::SharedSearch(const SessionPlan& plan, db::Store& store)
    : plan_(plan), store_(store), claims_(make_claims()), search_(plan, store) {}

std::unique_ptr<db::claims::Claims> SharedSearch::make_claims() {
  if (plan_.fresh) return nullptr;
  const db::claims::ClaimScope scope{plan_.workload, plan_.source(), plan_.objective.text(),
                                     !plan_.objective.is_time_like()};
  return std::make_unique<db::claims::Claims>(store_, scope, [this] { return running(); });
}

std::vector<model::NamedValues> SharedSearch::running() const {
  std::vector<model::NamedValues> values;
  values.reserve(running_.size());
  for (const model::Configuration& configuration : running_)
    values.push_back(plan_.space.values_of(configuration));
  return values;
}

std::vector<model::Configuration> SharedSearch::ask(std::size_t count) {
  if (!claims_) return search_.ask(count);
  claims_->enter();
  std::vector<model::Configuration> granted;
  if (claims_->must_wait()) return granted;
  while (granted.size() < count) {
    std::vector<model::Configuration> asked;
    const std::size_t wanted = count - granted.size();
    for (; asked.size() < wanted && !given_up_.empty(); given_up_.pop_front())
      asked.push_back(std::move(given_up_.front()));
    if (asked.empty()) asked = search_.ask(wanted);
    if (asked.empty()) break;
    share(std::move(asked), granted);
  }
  return granted;
}

// Claims configurations. Those that others have claimed or evaluated are left to them.
void SharedSearch::share(std::vector<model::Configuration> asked,
                         std::vector<model::Configuration>& granted) {
  std::vector<bool> is_ours(asked.size(), true);
  if (!claims_->is_alone()) {
    std::vector<model::NamedValues> values;
    values.reserve(asked.size());
    for (const model::Configuration& configuration : asked)
      values.push_back(plan_.space.values_of(configuration));
    is_ours = claims_->claim(values);
    take_stored();
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    model::Configuration& one = asked[i];
    if (has_taken_ && search_.was_told(one)) {  // A saved search had asked for it.
      claims_->release(plan_.space.values_of(one));
      continue;
    }
    if (is_ours[i] && !uncounted_.contains(one)) {
      running_.insert(one);
      granted.push_back(std::move(one));
    } else {
      if (is_ours[i]) claims_->release(plan_.space.values_of(one));
      has_left_some_ = true;
      elsewhere_.insert(std::move(one));
    }
  }
}

void SharedSearch::tell(const model::Configuration& configuration, model::Status status,
                        std::optional<double> value) {
  search_.tell(configuration, status, value);
  if (!claims_) return;
  running_.erase(configuration);
  if (!claims_->is_alone()) claims_->release(plan_.space.values_of(configuration));
}

void SharedSearch::give_up(const model::Configuration& configuration) {
  if (!claims_ || running_.erase(configuration) == 0) return;
  if (!claims_->is_alone()) claims_->release(plan_.space.values_of(configuration));
}

bool SharedSearch::is_waiting() const {
  return claims_ && (!elsewhere_.empty() || !given_up_.empty() || claims_->must_wait());
}

void SharedSearch::begin(std::int64_t session_id) {
  if (!claims_) return;
  claims_->set_session(session_id);
  claims_->promise_to_look();
}

// A session that evaluates nothing has no claims that others would need.
void SharedSearch::pause() {
  if (claims_ && !running_.empty()) claims_->stop_looking();
}

void SharedSearch::resume() {
  if (claims_) claims_->promise_to_look();
}

std::vector<KnownRow> SharedSearch::take_rows() {
  if (claims_ && (claims_->look() || std::exchange(has_left_some_, false))) {
    take_stored();
    take_left();
  }
  return std::exchange(taken_, {});
}

void SharedSearch::take_stored() {
  for (db::StoredMeasurement& stored : claims_->take_rows()) {
    if (stored.measurement.source > plan_.source()) continue;
    const base::Result<model::Configuration> configuration =
        plan_.space.configuration_of(stored.measurement.configuration);
    const bool measured = stored.measurement.status == model::Status::kMeasured;
    if (std::optional<KnownRow> row = known_row(plan_, std::move(stored))) {
      take(std::move(*row));
    } else if (configuration && measured) {
      uncounted_.insert(*configuration);
    }
  }
}

// Takes the row of a configuration, if its claim has ended and there is one. Returns false if the claim has
// ended without a row that this session can use.
bool SharedSearch::take_ended(const model::Configuration& configuration) {
  const model::NamedValues values = plan_.space.values_of(configuration);
  if (claims_->is_claimed_by_other(values)) return true;
  std::optional<db::StoredMeasurement> stored = store_.latest_measurement(plan_.workload, values);
  if (!stored || stored->measurement.source > plan_.source()) return false;
  std::optional<KnownRow> row = known_row(plan_, std::move(*stored));
  if (!row) return false;
  take(std::move(*row));
  return true;
}

// The claims of others may have ended: these have stored the row, or have given the configuration up.
void SharedSearch::take_left() {
  const std::vector<model::Configuration> elsewhere(elsewhere_.begin(), elsewhere_.end());
  for (const model::Configuration& configuration : elsewhere) {
    if (take_ended(configuration)) continue;
    elsewhere_.erase(configuration);
    given_up_.push_back(configuration);
  }
  const std::vector<model::Configuration> uncounted(uncounted_.begin(), uncounted_.end());
  for (const model::Configuration& configuration : uncounted) {
    if (!take_ended(configuration)) uncounted_.erase(configuration);
  }
}

void SharedSearch::take(KnownRow row) {
  elsewhere_.erase(row.configuration);
  uncounted_.erase(row.configuration);
  if (running_.contains(row.configuration) || search_.was_told(row.configuration)) return;
  has_taken_ = true;
  search_.tell(row.configuration, row.measurement.status, row.value);
  taken_.push_back(std::move(row));
}

void SharedSearch::leave() {
  if (claims_) claims_->leave();
}

}  // namespace warptune::tuner::session::loop
