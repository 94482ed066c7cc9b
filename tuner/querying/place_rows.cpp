#include "tuner/querying/place_rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warptune::tuner::querying {

std::string_view to_string(LossBasis basis) {
  switch (basis) {
    case LossBasis::kMeasured:
      return "measured";
    case LossBasis::kDropped:
      return "dropped";
    case LossBasis::kUnknown:
      break;
  }
  return "unknown";
}

// Rows come in the order of their rank. The first one that is intact is the best. Those before it are
// damaged, and are left out.
PlaceRows::PlaceRows(const PortablePlace& place, const model::Objective& objective, const StoreOf& store_of)
    : place_(&place), objective_(objective) {
  if (!place.winner) return;
  const db::Winner& winner = *place.winner;
  store_ = &store_of(winner);
  const std::unordered_map<std::int64_t, std::string> keys = store_->configuration_keys(winner.workload);
  for (const db::RankedId& ranked : store_->ranked_ids(winner.workload, objective_)) {
    const auto key = keys.find(ranked.id);
    if (ranked.source != winner.best.source || !(ranked.value > 0.0) || key == keys.end()) continue;
    if (!best_) {
      const std::optional<db::StoredMeasurement> row = store_->ranked_row(ranked, objective_);
      if (!row) continue;
      best_ = PlaceBest{row->measurement.configuration, ranked.value};
    }
    rows_.emplace(key->second, ranked);
  }
}

std::optional<db::StoredMeasurement> PlaceRows::row_of(const std::string& key) const {
  return store_->ranked_row(rows_.at(key), objective_);
}

PlaceLoss PlaceRows::loss_of(const model::NamedValues& configuration) const {
  PlaceLoss one;
  if (store_ == nullptr) return one;
  one.row = store_->latest_measurement(place_->winner->workload, configuration);
  if (!one.row || !best_) return one;
  const model::Measurement& row = one.row->measurement;
  const bool is_dropped = row.status == model::Status::kDropped;
  const bool has_value = is_dropped ? objective_.is_time() : row.status == model::Status::kMeasured;
  if (!has_value || row.source != place_->winner->best.source) return one;
  const std::optional<double> value = is_dropped ? model::low_ns_of(row) : objective_.value(row);
  if (!value || !(*value > 0.0)) return one;
  one.basis = is_dropped ? LossBasis::kDropped : LossBasis::kMeasured;
  one.loss = std::max(0.0, loss_of_value(*value));
  return one;
}

}  // namespace warptune::tuner::querying
