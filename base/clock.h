#pragma once

#include <chrono>
#include <cstdint>

namespace warptune::base {

/// The time of day in milliseconds since 1970-01-01 UTC. All time stamps are stored in this form.
std::int64_t unix_time_ms();

/// The time for which the calling thread has had a core since it started. It does not pass while the thread
/// waits.
std::chrono::nanoseconds thread_cpu_time();

}  // namespace warptune::base
