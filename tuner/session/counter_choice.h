#pragma once

#include <string>
#include <vector>

#include "model/objective.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::session {

/// Which hardware counters are read, and for which configurations.
struct CounterChoice {
  /// `kCore` and `kFull` are the sets of `profiling::counters::core_metrics()` and `full_metrics()`.
  enum class Set { kCore, kNone, kFull, kNamed };
  Set set = Set::kCore;
  /// The names that the user gave, if `set` is `kNamed`: names of counters, `energy_j` or `power_w`.
  std::vector<std::string> names;

  /// Whether every configuration is counted. Otherwise most of those are not that are dropped after their
  /// first launch (`profiling::MeasuringOptions::count_all`).
  bool all = false;

  /// Reads `metrics`: `core`, `none`, `full` or names separated by commas; and `count`: `contenders` or
  /// `all`. Throws `base::InputError` for a text that cannot be a metric's name, or another `count`.
  static CounterChoice parse(const std::string& metrics, const std::string& count = "contenders");

  /// Writes into `measuring` what is counted (`count`, `count_all`, `metrics`, `measure_energy`), and adds
  /// what the objective needs. Throws `base::InputError` when the objective needs counters and `set` is
  /// `kNone`.
  void apply(const model::Objective& objective, profiling::MeasuringOptions& measuring) const;
};

}  // namespace warptune::tuner::session
