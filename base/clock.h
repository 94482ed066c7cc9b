#pragma once

#include <cstdint>

namespace warptune::base {

/// The time of day: milliseconds since 1970-01-01 UTC, the form of every time stamp that is stored.
std::int64_t unix_time_ms();

}  // namespace warptune::base
