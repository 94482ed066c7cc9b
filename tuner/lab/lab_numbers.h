#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "model/expression.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// The names that expressions of an experiment may use, with their values. docs/lab.md lists the names. All
/// numbers are real, so that `/` never truncates.
class LabNumbers {
 public:
  /// `result` must outlive this object.
  explicit LabNumbers(const LabResult& result);

  /// The value of an expression that may use names of all rows, names that begin with `gpu.` or `roofs.`, and
  /// quantities. `extra` is one more name. The error says that a row was not measured or lacks a metric, or
  /// why the expression cannot be computed.
  base::Result<double> evaluate(const model::Expression& expression, const std::string& extra = "",
                                double extra_value = 0.0) const;
  /// Whether a condition is true when `value` has the given value. Errors are those of `evaluate`.
  base::Result<bool> holds(const model::Expression& expression, double value) const;
  /// The value of an expression that may use the names of one row without `TABLE.ROW.`, and all other names.
  base::Result<double> of_row(std::size_t table, std::size_t row, const model::Expression& expression) const;

  /// Whether a name has a value: `TABLE.ROW.NUMBER`, a quantity, or one that begins with `gpu.` or `roofs.`.
  bool knows(const std::string& name) const { return value_named(name).has_value(); }

  /// Draws the time samples of each row with replacement, and replaces the row's time by the median of the
  /// drawn samples. Then computes the quantities again. This is one step of the bootstrap (Efron and
  /// Tibshirani, An Introduction to the Bootstrap, 1993).
  void resample(base::Random& random);

 private:
  using Names = std::map<std::string, model::Value, std::less<>>;
  struct Row {
    std::string reason;  ///< Why the row has no measurement; empty if it has one.
    Names names;
    model::Work work;
    std::optional<double> roof_ns;
    std::vector<double> samples_ns;
  };

  static void set_time(Row& row, double median_ns);
  void add_row(const std::string& name, const LabRow& row);
  void compute_quantities();
  base::Result<model::Value> value_of(const model::Expression& expression, const Names& extra) const;
  static base::Result<model::Value> value_of(
      const model::Expression& expression,
      const std::function<base::Result<model::Value>(const std::string&)>& named);
  base::Result<model::Value> value_named(const std::string& name) const;

  const LabResult& result_;
  std::map<std::string, Row, std::less<>> rows_;  ///< The key is `table.row`.
  Names constants_;                               ///< Names that begin with `gpu.` and `roofs.`.
  Names quantities_;
  std::map<std::string, std::string> unknown_;  ///< Quantities that cannot be computed, with the reason.
};

/// A number for people, with three significant digits; an integer has all its digits.
std::string lab_number(double value);
/// A number for people, with `digits` digits after the point.
std::string lab_number(double value, int digits);

}  // namespace warptune::tuner::lab
