#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::session {

/// How long a session may go on: a number of new evaluations or seconds.
struct Budget {
  std::string text;  ///< As asked.
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;

  /// `200`, `60s`, `5m`, `1h` or `all`. Throws `base::InputError` otherwise.
  static Budget parse(std::string_view text);
};

/// When a session has found enough to end before its budget does.
struct Goal {
  std::string text;                  ///< As asked; empty: none.
  std::optional<double> roof_share;  ///< The best takes at most the roof's time over this.
  /// What the strategy's model expects more evaluations to gain at most, as a share of the best.
  std::optional<double> gain_share;

  /// `0.9roof` (above 0, at most 2: a roof is no exact bound) or `0.3%` (above 0, below 100). Throws
  /// `base::InputError` otherwise.
  static Goal parse(std::string_view text);
};

}  // namespace warptune::tuner::session
