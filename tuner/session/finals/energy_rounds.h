// Measures the energy of a session's best configurations again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cancellation.h"
#include "model/measurement.h"
#include "tuner/evaluation/evaluator.h"

namespace warptune::tuner::session::finals {

/// So many configurations are measured again in so many rounds, if the objective depends on energy or power.
/// Each measurement takes half a second to a second.
constexpr std::size_t kMaxEnergyFinalists = 4;
constexpr int kEnergyRounds = 3;

/// What the rounds found of a configuration.
struct EnergyFinalist {
  /// The medians of `energy_j`, `power_w` and `energy_relative_error` over the rounds. Empty if the energy
  /// was not measured.
  model::Counters energy;
  /// The times of all rounds, ns.
  std::vector<double> samples_ns;
  /// Why the configuration is wrong. Absent if it is right.
  std::optional<model::Rejection> fault;
};

/// Evaluates each configuration once in each round, in a random order. The power of a GPU depends on its
/// temperature, and its clock on what ran before, so both affect all configurations alike. The evaluations
/// are the same as those of a search: each is verified and timed. A configuration is wrong if one of them
/// says so. The result has the order of `configurations`. It is empty if the session is cancelled meanwhile.
std::vector<EnergyFinalist> measure_energy_again(evaluation::Evaluator& evaluator,
                                                 const std::vector<model::NamedValues>& configurations,
                                                 int rounds, std::uint64_t seed,
                                                 const base::Cancellation& cancellation);

}  // namespace warptune::tuner::session::finals
