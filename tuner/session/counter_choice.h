#pragma once

#include <string>
#include <vector>

#include "model/objective.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::session {

/// Which hardware counters of every configuration are read.
struct CounterChoice {
  enum class Set { kCore, kNone, kFull, kNamed };
  Set set = Set::kCore;
  std::vector<std::string> names;  ///< Of `kNamed`: counters, `energy_j` and `power_w`.

  /// `core`, `none`, `full` or names between commas. Throws `base::InputError` on what can be no metric.
  static CounterChoice parse(const std::string& text);

  /// Fills in what is counted (`count`, `metrics`, `measure_energy`), with what the objective needs. Throws
  /// `base::InputError` when an objective needs counters and none are to be read.
  void apply(const model::Objective& objective, profiling::MeasuringOptions& measuring) const;
};

}  // namespace warptune::tuner::session
