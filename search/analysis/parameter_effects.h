#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/median.h"
#include "search/analysis/metric.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

/// The effect of a change on a metric, over pairs of rows that differ in that change alone. Without pairs
/// only their number has a value.
struct PairedEffect {
  std::size_t pairs = 0;                            ///< The pairs that have the metric on both sides.
  std::optional<double> before;                     ///< The median before, in the metric's unit.
  std::optional<double> after;                      ///< The median after.
  std::optional<model::MedianInterval> difference;  ///< The median of `after - before`.
  /// The median of `after / before`. It has no value if one of the numbers is not positive.
  std::optional<model::MedianInterval> ratio;
};

/// A change of one parameter. `parameter` is its index; `from` and `to` are indices of its values.
struct ValueChange {
  std::size_t parameter = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// Finds pairs of rows that differ in one parameter alone. Each row belongs to at most one pair of a change,
/// so the pairs of a change are independent samples.
///
/// Construction takes O(parameters x rows log rows). A change takes O(rows that have one of the two values).
class ParameterEffects {
 public:
  /// `rows` must outlive the object.
  explicit ParameterEffects(const TimedRows& rows);

  const TimedRows& rows() const { return *rows_; }
  /// The indices of the rows (from, to) of each pair. The indices of `change` must be valid.
  std::vector<std::pair<std::size_t, std::size_t>> pairs(const ValueChange& change) const;
  /// The effect of the change on a metric, over all its pairs.
  PairedEffect effect(const ValueChange& change, const Metric& metric) const;
  /// The same as `effect` with the time in ns as the metric, but computed faster.
  PairedEffect time_effect(const ValueChange& change) const;
  /// The index of the row that equals `configuration` except for `value` of `parameter`. Returns std::nullopt
  /// if there is no such row.
  std::optional<std::size_t> sibling(const model::Configuration& configuration, std::size_t parameter,
                                     std::uint32_t value) const;
  /// The change given by names and values. Returns std::nullopt if the parameter or a value does not exist.
  std::optional<ValueChange> change_of(std::string_view parameter, const model::Value& from,
                                       const model::Value& to) const;

 private:
  struct Entry {
    std::uint64_t rest = 0;  // The hash of the values of all other parameters.
    std::uint32_t row = 0;
  };
  std::uint64_t hash_of(const model::Configuration& configuration) const;

  const TimedRows* rows_;
  std::vector<std::vector<std::uint64_t>> keys_;            // A random key for each parameter and value.
  std::vector<std::vector<std::vector<Entry>>> by_values_;  // For each parameter and value, sorted by `rest`.
};

}  // namespace warptune::search::analysis
