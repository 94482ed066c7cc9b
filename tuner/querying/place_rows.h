// What a configuration loses on one GPU against the best that was measured there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "db/store.h"
#include "model/objective.h"
#include "model/value.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::querying {

/// What a loss on a GPU rests on.
enum class LossBasis {
  kMeasured,  ///< A row with a value there. The loss is exact.
  kDropped,   ///< A row there that was given up as too slow. The loss is a lower bound.
  kUnknown    ///< No row there that can be compared with the best. The loss is unknown.
};

/// The word for a basis in output: `measured`, `dropped`, `unknown`.
std::string_view to_string(LossBasis basis);

/// What a configuration loses on one of the GPUs: its value over that of the best there, minus 1.
struct PlaceLoss {
  LossBasis basis = LossBasis::kUnknown;
  std::optional<double> loss{};                ///< Absent if it is unknown.
  std::optional<db::StoredMeasurement> row{};  ///< The row that it comes from.
};

/// The best configuration on one of the GPUs.
struct PlaceBest {
  model::NamedValues configuration;
  double value = 0.0;  ///< The value of the objective.
};

/// Returns the database of a winner.
using StoreOf = std::function<const db::Store&(const db::Winner&)>;

/// The rows of one place that can be compared: those of its winner's source that have a value. The place and
/// the database must outlive it.
class PlaceRows {
 public:
  PlaceRows(const PortablePlace& place, const model::Objective& objective, const StoreOf& store_of);

  /// Whether nothing is stored that fits the place.
  bool is_empty() const { return store_ == nullptr; }
  /// The best row that is intact. Absent if no row can be compared.
  const std::optional<PlaceBest>& best() const { return best_; }
  /// The rows by the key of their configuration (`db::Store::configuration_keys`). Only the checksum of the
  /// best one was compared.
  const std::unordered_map<std::string, db::RankedId>& rows() const { return rows_; }
  /// The loss that belongs to a value of these rows.
  double loss_of_value(double value) const { return value / best_->value - 1.0; }
  /// The whole row of a key of `rows`. Returns std::nullopt if it is damaged.
  std::optional<db::StoredMeasurement> row_of(const std::string& key) const;
  /// The loss of a configuration, from its newest row. The row may be one that failed.
  PlaceLoss loss_of(const model::NamedValues& configuration) const;

 private:
  const PortablePlace* place_;
  model::Objective objective_;
  const db::Store* store_ = nullptr;
  std::unordered_map<std::string, db::RankedId> rows_;
  std::optional<PlaceBest> best_;
};

}  // namespace warptune::tuner::querying
