#pragma once

#include <optional>
#include <string>

#include "model/measurement.h"
#include "profiling/timing/finalist_timing.h"

namespace warptune::tuner::session::finals {

/// How well the best of a session is verified. Its row stores these values as counters.
struct Verification {
  /// `chance_of_detection` assumes a kernel that is wrong in one of this many launches.
  static constexpr double kLaunchesPerError = 100.0;

  double launches = 0.0;  ///< Each was verified and right, on inputs that no launch had seen before.
  double chance_of_detection = 0.0;  ///< The chance to have found such a kernel, 0 to 1.
  double deviating = 0.0;  ///< Launches whose output has other bits than the first launch on the same inputs.
  std::optional<double> deviation_of_tolerance;  ///< The largest difference, in units of the tolerance.

  bool nondeterministic() const { return deviating > 0.0; }
};

/// Whether it is known how often the row was launched. If the worker ended, it is not.
bool was_launched(const profiling::timing::Confirmation& confirmation);

/// The counters that a confirmation adds to its row: `verified_launches`, `detection_chance`,
/// `deviating_launches` and, if it is known, `deviation_of_tolerance`.
model::Counters counters_of(const profiling::timing::Confirmation& confirmation);

/// Adds the launches of a row's earlier confirmation to those of its final rounds, because the next
/// confirmation replaces its counters. So a difference that was seen once is not forgotten. Empty if the
/// row has no earlier confirmation.
model::Counters with_earlier_confirmation(const model::Counters& before);

/// Reads the counters of a row back. Returns std::nullopt if the row is not confirmed
/// (`db::confirming_launches`). Rows of earlier versions do not store the chance of detection, so it is
/// computed.
std::optional<Verification> verification_of(const model::Measurement& row);

/// `nondeterministic: 2 of 300 launches gave other bits, at most 0.03 of the tolerance apart`. Empty when all
/// launches agreed.
std::string nondeterminism_text(const Verification& verification);

/// The lines that `tune` and `query` print about their best, each with a newline: how it was confirmed, or
/// that it was not, because its session was interrupted. Empty for a replayed row.
std::string verification_text(const model::Measurement& best);

}  // namespace warptune::tuner::session::finals
