#include "tuner/knowledge/ranking.h"

#include <algorithm>
#include <utility>

#include "db/preference.h"
#include "model/row_sources.h"

namespace warptune::tuner::knowledge {

using model::Status;

Ranking::Ranking(std::vector<db::StoredMeasurement> rows, const model::Objective& objective,
                 const model::NamedValues& default_configuration)
    : objective_(objective), default_key_(model::key_of(default_configuration)) {
  for (db::StoredMeasurement& row : rows) {
    if (row.measurement.status == Status::kMeasured) {
      add(std::move(row));
    } else if (row.measurement.status == Status::kDropped && is_default(row.measurement)) {
      dropped_default_ = std::move(row);
    }
  }
  sort();
}

void Ranking::add(db::StoredMeasurement row) {
  if (const std::optional<double> value = objective_.value(row.measurement))
    rows_.push_back({std::move(row), *value});
}

void Ranking::sort() {
  std::stable_sort(rows_.begin(), rows_.end(), [](const RatedRow& a, const RatedRow& b) {
    return std::pair(model::row_source(a.stored), a.value) < std::pair(model::row_source(b.stored), b.value);
  });
}

const RatedRow* Ranking::best() const {
  if (rows_.empty()) return nullptr;
  if (!objective_.is_time() || ignores_preferred_) return &rows_.front();
  for (const RatedRow& row : rows_) {
    if (is_below_best(row.stored) || row.value > db::kPreferredRatio * rows_.front().value) break;
    if (row.stored.preferred) return &row;
  }
  return &rows_.front();
}

bool Ranking::is_below_best(const db::StoredMeasurement& row) const {
  return !rows_.empty() && model::row_source(row) > model::row_source(rows_.front().stored);
}

bool Ranking::is_default(const model::Measurement& measurement) const {
  return model::key_of(measurement.configuration) == default_key_;
}

const db::StoredMeasurement* Ranking::default_row() const {
  for (const RatedRow& row : rows_) {
    if (is_default(row.stored.measurement) && !is_below_best(row.stored)) return &row.stored;
  }
  if (passed_over_default_ && !is_below_best(*passed_over_default_)) return &*passed_over_default_;
  return dropped_default_ && !is_below_best(*dropped_default_) ? &*dropped_default_ : nullptr;
}

void Ranking::set_time(std::int64_t id, const model::TimeSummary& time,
                       const std::vector<double>& samples_ns) {
  // The default was dropped in the race. Now it has a full time, so it is ranked like the others.
  if (dropped_default_ && dropped_default_->id == id) {
    db::StoredMeasurement row = *std::exchange(dropped_default_, std::nullopt);
    row.measurement.status = Status::kMeasured;
    row.measurement.reason.clear();
    row.measurement.time = time;
    row.measurement.samples_ns = samples_ns;
    add(std::move(row));
  }
  for (RatedRow& row : rows_) {
    if (row.stored.id != id) continue;
    row.stored.measurement.time = time;
    row.stored.measurement.samples_ns = samples_ns;
    row.value = objective_.value(row.stored.measurement).value_or(row.value);
  }
  sort();
}

void Ranking::set_counters(std::int64_t id, const model::Counters& counters) {
  for (RatedRow& row : rows_) {
    if (row.stored.id != id) continue;
    for (const auto& [name, value] : counters) row.stored.measurement.counters[name] = value;
    row.value = objective_.value(row.stored.measurement).value_or(row.value);
  }
  sort();
}

void Ranking::set_preferred(std::int64_t id) {
  for (RatedRow& row : rows_) row.stored.preferred = row.stored.id == id;
}

void Ranking::remove(std::int64_t id) {
  ++removed_;
  if (dropped_default_ && dropped_default_->id == id) dropped_default_.reset();
  std::erase_if(rows_, [id](const RatedRow& row) { return row.stored.id == id; });
}

void Ranking::pass_over(std::int64_t id) {
  std::erase_if(rows_, [&](RatedRow& row) {
    if (row.stored.id != id) return false;
    if (is_default(row.stored.measurement)) passed_over_default_ = std::move(row.stored);
    return true;
  });
}

}  // namespace warptune::tuner::knowledge
