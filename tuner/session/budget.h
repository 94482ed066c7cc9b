#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::session {

/// How long a session may continue: a number of new evaluations, or seconds. Without either, it ends when the
/// space is exhausted.
struct Budget {
  std::string text;  ///< As the user wrote it.
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;

  /// Reads `200`, `60s`, `5m`, `1h30m` or `all`. Throws `base::InputError` for any other text.
  static Budget parse(std::string_view text);
};

/// When a session has found enough and ends before its budget.
struct Goal {
  std::string text;  ///< As the user wrote it; empty: there is no goal.
  /// Reached when the time of the best is at most the minimum time by the roofs (`model::roof_time_ns`),
  /// divided by this share.
  std::optional<double> roof_share;
  /// Reached when the best is probably at most this share slower than the fastest configuration, according to
  /// the strategy's model and the last evaluations (`SearchGoal`).
  std::optional<double> gain_share;

  /// Reads `0.9roof` or `0.3%`. A share of the roof is above 0 and at most 2, because a measured roof is not
  /// an exact bound. A gain is above 0 % and below 100 %. Throws `base::InputError` for any other text.
  static Goal parse(std::string_view text);
};

}  // namespace warptune::tuner::session
