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

/// What the expressions of an experiment may name, with its numbers: docs/lab.md lists the names. All numbers
/// are reals, so that `/` divides.
class LabNumbers {
 public:
  /// `result` must outlive it.
  explicit LabNumbers(const LabResult& result);

  /// Of expressions over all rows, `gpu.`, `roofs.` and quantities; `extra` is one more name. The reason when
  /// a row was not measured, lacks a metric, or the expression cannot be computed.
  base::Result<double> evaluate(const model::Expression& expression, const std::string& extra = "",
                                double extra_value = 0.0) const;
  base::Result<bool> holds(const model::Expression& expression, double value) const;
  /// Of an expression over one row's names, and all the others.
  base::Result<double> of_row(std::size_t table, std::size_t row, const model::Expression& expression) const;

  /// Replaces each row's times by what its samples, drawn with replacement, would have given; and computes
  /// the quantities anew (Efron and Tibshirani, An Introduction to the Bootstrap, 1993).
  void resample(base::Random& random);

 private:
  using Names = std::map<std::string, model::Value, std::less<>>;
  struct Row {
    std::string reason;  ///< Why nothing is known of it; empty when something is.
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
  std::map<std::string, Row, std::less<>> rows_;  ///< `table.row`.
  Names constants_;                               ///< `gpu.` and `roofs.`.
  Names quantities_;
  std::map<std::string, std::string> unknown_;  ///< Quantities that cannot be computed, and why.
};

/// A number for people: three significant digits, more where it is whole.
std::string lab_number(double value);
/// With so many digits after the point.
std::string lab_number(double value, int digits);

}  // namespace warptune::tuner::lab
