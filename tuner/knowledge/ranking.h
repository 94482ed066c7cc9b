#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/store.h"
#include "model/objective.h"

namespace warptune::tuner::knowledge {

/// A row with its value by an objective.
struct RatedRow {
  db::StoredMeasurement stored;
  double value = 0.0;
};

/// The measured rows of a workload that an objective can rate, best first. Rows of a better source come
/// before all others (`model::RowSource`). The final rounds of a session change the times and the order.
class Ranking {
 public:
  /// `default_configuration` may be empty.
  Ranking(std::vector<db::StoredMeasurement> rows, const model::Objective& objective,
          const model::NamedValues& default_configuration);

  const std::vector<RatedRow>& rows() const { return rows_; }
  /// The row to use. If the objective is the time, it is the preferred row, as long as that is at most 1 %
  /// slower than the first. Otherwise it is the first. Null when there is no row.
  const RatedRow* best() const;
  /// The default's row if it was dropped.
  const std::optional<db::StoredMeasurement>& dropped_default() const { return dropped_default_; }
  /// The default's row: the measured one, otherwise the dropped one, otherwise null. Also null if its source
  /// ranks below that of the first row: their times are not compared.
  const db::StoredMeasurement* default_row() const;
  bool is_default(const model::Measurement& measurement) const;
  /// Whether the row's source ranks below that of the first row.
  bool is_below_best(const db::StoredMeasurement& row) const;

  /// Replaces a row's time as `db::Store::set_time` does, and ranks the rows again.
  void set_time(std::int64_t id, const model::TimeSummary& time, const std::vector<double>& samples_ns);
  /// Adds counters to a row or replaces them, and ranks the rows again.
  void set_counters(std::int64_t id, const model::Counters& counters);
  void set_preferred(std::int64_t id);
  /// Removes a row from the ranking.
  void remove(std::int64_t id);
  /// Removes a row from the ranking that is right, but does not give what is demanded. `default_row` still
  /// returns it.
  void pass_over(std::int64_t id);
  /// From now on `best` is the first row, although another one may be preferred.
  void ignore_preferred() { ignores_preferred_ = true; }
  /// How many rows were removed.
  std::size_t removed() const { return removed_; }

 private:
  void add(db::StoredMeasurement row);
  void sort();

  model::Objective objective_;
  std::string default_key_;
  std::vector<RatedRow> rows_;
  std::optional<db::StoredMeasurement> dropped_default_;
  std::optional<db::StoredMeasurement> passed_over_default_;
  std::size_t removed_ = 0;
  bool ignores_preferred_ = false;
};

}  // namespace warptune::tuner::knowledge
