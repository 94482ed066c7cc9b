#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/expression.h"
#include "model/measurement.h"

namespace warptune::model {

/// The numbers of the compiled code and its launch that an expression may name. For a thread these are
/// `registers` and `local_bytes`. For a block they are `shared_bytes` (static and dynamic) and `threads`. For
/// the launch they are `blocks`, `blocks_per_sm` and `occupancy` (0..1).
std::vector<std::pair<std::string_view, Value>> resource_values(const ResourceUse& use);

/// What a search minimises: one expression over the values of a measurement, or several expressions.
///
/// To maximise a value, write a minus sign before it. An expression may use these names:
/// * `time` is the median in ns. `energy` (also `energy_j`) is in J for one launch, `power` (also `power_w`)
///   in W, and `sm_clock_mhz` in MHz.
/// * Hardware metrics have CUPTI's names, which contain a dot (`dram__bytes.sum`).
/// * The numbers of `resource_values` describe the compiled code and its launch.
///
/// Several expressions are separated by commas outside of parentheses (`time,energy`). Their product is
/// minimised, and all of them must be positive. Their Pareto front shows the trade-offs between them.
class Objective {
 public:
  /// The objective `time`.
  Objective();
  /// Throws `base::InputError` with the column of the error within `--objective`.
  static Objective parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// The texts of the parts. There is one part if the objective has no commas.
  const std::vector<std::string>& parts() const { return texts_; }
  /// Whether the objective is the time alone.
  bool is_time() const { return texts_.size() == 1 && texts_.front() == "time"; }
  /// Whether the objective depends on the time and on no other measured value. The finals, which only measure
  /// times, can then refine it.
  bool is_time_like() const;
  bool needs_energy() const;
  /// Whether the objective names numbers of `resource_values`.
  bool needs_resources() const;
  /// The hardware metrics that the objective names, each once.
  std::vector<std::string> counters() const;
  /// The names under which a measurement stores the metrics that the objective names, warptune's own ones
  /// included, each once.
  std::vector<std::string> stored_metrics() const;

  /// The number to minimise; for a dropped configuration it is an estimate. Returns std::nullopt if the time
  /// or a metric is missing, or if the result cannot be computed or is not finite. With several parts it also
  /// returns std::nullopt if one of them is not positive.
  std::optional<double> value(const Measurement& measurement) const;
  /// The number of each part, in order, or std::nullopt in the same cases.
  std::optional<std::vector<double>> values(const Measurement& measurement) const;
  /// Combines the numbers of the parts into the value: their product. Returns std::nullopt if it is not
  /// finite.
  static std::optional<double> value_of_parts(const std::vector<double>& parts);

 private:
  std::vector<std::string> names() const;

  std::string text_ = "time";
  std::vector<std::string> texts_ = {"time"};
  std::vector<Expression> parts_;
};

/// All names that an expression may use, except for those of hardware metrics.
std::vector<std::string> objective_names();

}  // namespace warptune::model
