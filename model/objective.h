#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/expression.h"
#include "model/measurement.h"

namespace warptune::model {

/// What an expression may name of the compiled code and its launch, with its number: `registers` (a thread),
/// `shared_bytes` (a block, static and dynamic), `local_bytes` (a thread), `threads` (a block), `blocks`,
/// `blocks_per_sm`, `occupancy` (0..1).
std::vector<std::pair<std::string_view, Value>> resource_values(const ResourceUse& use);

/// What a search minimises: an expression over what is known of a measurement, or several of them.
///
/// Names: `time` (the median, ns); `energy` (J a launch, also `energy_j`), `power` (W, also `power_w`),
/// `sm_clock_mhz`; hardware metrics by CUPTI's names, which have a dot (`dram__bytes.sum`); of the compiled
/// code and its launch `registers` (a thread), `shared_bytes` (a block, static and dynamic), `local_bytes` (a
/// thread), `threads` (a block), `blocks`, `blocks_per_sm`, `occupancy` (0..1). A minus maximises.
///
/// Several, separated by commas outside parentheses (`time,energy`), are minimised by their product, for
/// which all must be positive; their Pareto front says what the product hides.
class Objective {
 public:
  /// `time`.
  Objective();
  /// Throws `base::InputError` that points at the offending column of `--objective`.
  static Objective parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// The texts of the parts; one where there are no commas.
  const std::vector<std::string>& parts() const { return texts_; }
  /// Whether it is the time and nothing else.
  bool is_time() const { return texts_.size() == 1 && texts_.front() == "time"; }
  /// Whether the time decides and nothing that is measured beside it: interleaved rounds refine it then.
  bool is_time_like() const;
  bool needs_energy() const;
  /// Hardware metrics it names, each once.
  std::vector<std::string> counters() const;

  /// The number to be minimised (of a dropped one an estimate). Nothing without a time or a metric, where it
  /// cannot be computed (a division by 0) or is not finite, and for several where one is not positive.
  std::optional<double> value(const Measurement& measurement) const;
  /// The number of each part, in order; nothing where `value` is nothing.
  std::optional<std::vector<double>> values(const Measurement& measurement) const;

 private:
  std::vector<std::string> names() const;

  std::string text_ = "time";
  std::vector<std::string> texts_ = {"time"};
  std::vector<Expression> parts_;
};

/// The names above but those of hardware metrics.
std::vector<std::string> objective_names();

}  // namespace warptune::model
