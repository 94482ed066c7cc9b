#pragma once

#include <chrono>
#include <cstdint>

namespace warptune::base {

/// Milliseconds since 1970-01-01 UTC, by this machine's clock.
inline std::int64_t unix_time_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace warptune::base
