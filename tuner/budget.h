#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner {

/// How long a session may go on: a number of new evaluations or seconds.
struct Budget {
  std::string text;  ///< As asked.
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;

  /// `200`, `60s`, `5m`, `1h` or `all`. Throws `base::InputError` otherwise.
  static Budget parse(std::string_view text);
};

}  // namespace warptune::tuner
