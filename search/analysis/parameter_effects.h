#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/median.h"
#include "search/analysis/metric.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// What a change did to a metric over pairs of rows that differ in that change alone.
struct PairedEffect {
  std::size_t pairs = 0;                                     ///< That have the metric on both sides.
  double before = std::numeric_limits<double>::quiet_NaN();  ///< Medians of both sides, in the metric's unit.
  double after = std::numeric_limits<double>::quiet_NaN();
  model::MedianInterval difference;  ///< Of after - before.
  model::MedianInterval ratio;       ///< Of after / before; NaN where a side is not positive.
};

/// One parameter from one of its values to another, by indices.
struct ValueChange {
  std::size_t parameter = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// All pairs of rows that differ in one parameter alone. Each row is in at most one pair of a change, so that
/// the pairs of a change are disjoint. Building takes O(parameters x rows log rows), a change O(rows that
/// have either value).
class ParameterEffects {
 public:
  /// `rows` must outlive it.
  explicit ParameterEffects(const TimedRows& rows);

  const TimedRows& rows() const { return *rows_; }
  /// Indices of the rows (from, to) of each pair. Parameter and values must be of the space.
  std::vector<std::pair<std::size_t, std::size_t>> pairs(const ValueChange& change) const;
  /// What the change did to a metric, over all its pairs.
  PairedEffect effect(const ValueChange& change, const Metric& metric) const;
  /// The same on the time, quicker: ns and ratios.
  PairedEffect time_effect(const ValueChange& change) const;
  /// The row that differs from `configuration` in having `value` of `parameter`, or nothing.
  std::optional<std::size_t> sibling(const model::Configuration& configuration, std::size_t parameter,
                                     std::uint32_t value) const;
  /// The change by names and values; nothing when a name or value is none of the space.
  std::optional<ValueChange> change_of(std::string_view parameter, const model::Value& from,
                                       const model::Value& to) const;

 private:
  struct Entry {
    std::uint64_t rest = 0;  // Hash of the values of all other parameters.
    std::uint32_t row = 0;
  };
  std::uint64_t hash_of(const model::Configuration& configuration) const;

  const TimedRows* rows_;
  std::vector<std::vector<std::uint64_t>> keys_;            // By parameter and value.
  std::vector<std::vector<std::vector<Entry>>> by_values_;  // By parameter and value, by `rest`.
};

}  // namespace warptune::search::analysis
