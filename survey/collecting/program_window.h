// The part of a program's run in which the injected library records or counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptune::survey::collecting {

inline constexpr double kNanosecondsPerSecond = 1e9;

/// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t monotonic_ns();

/// Times are in nanoseconds of CLOCK_MONOTONIC.
struct ProgramWindow {
  std::uint64_t began = 0;  ///< When the program was started.
  std::uint64_t start = 0;
  std::uint64_t stop = 0;  ///< 0: no end.

  /// The variables that tell the injected library of it, as `NAME=VALUE`.
  std::vector<std::string> variables() const;
};

/// The window of a program that is started now. It begins `after` seconds later, and lasts for `duration`
/// seconds.
ProgramWindow window_from_now(const std::optional<double>& after, const std::optional<double>& duration);

}  // namespace warptune::survey::collecting
