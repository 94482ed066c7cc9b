#pragma once

#include <cstdint>

namespace warptune::base {

/// The time of day in milliseconds since 1970-01-01 UTC. All time stamps are stored in this form.
std::int64_t unix_time_ms();

}  // namespace warptune::base
