#pragma once

#include <optional>
#include <string>

#include "model/measurement.h"
#include "profiling/timing/finalist_timing.h"

namespace warptune::tuner::session::finals {

/// How well the best of a session is verified, as its row keeps it.
struct Verification {
  /// What `chance_of_detection` is of: a kernel that is wrong in one of as many launches.
  static constexpr double kOneIn = 100.0;

  double launches = 0.0;  ///< Each was verified and right, on inputs that no launch had seen before.
  double chance_of_detection = 0.0;
  double deviating = 0.0;  ///< Of the launches: other bits than the first on the same inputs.
  std::optional<double> deviation_of_tolerance;  ///< How far apart, at most, in units of the tolerance.

  bool nondeterministic() const { return deviating > 0.0; }
};

/// What a confirmation leaves with its row: `verified_launches`, `detection_chance`, `deviating_launches`
/// and, where it is known, `deviation_of_tolerance`.
model::Counters counters_of(const profiling::timing::Confirmation& confirmation);

/// Nothing where no launch was verified after the final rounds. Of rows written before the chance was stored
/// it is computed.
std::optional<Verification> verification_of(const model::Counters& counters);

/// `nondeterministic: 2 of 300 launches gave other bits, at most 0.03 of the tolerance apart`; empty where
/// all launches agreed.
std::string nondeterminism_text(const Verification& verification);

/// What `tune` and `query` say of their best, lines that end with a newline; empty where there is nothing to
/// say.
std::string verification_text(const model::Measurement& best);

}  // namespace warptune::tuner::session::finals
