#pragma once

#include <cstdint>

#include "db/storage/sqlite.h"

namespace warptune::db::storage {

/// A session has ended if it says so, or if it has stored nothing for this long.
constexpr std::int64_t kInterruptedAfterMs = 10 * 60 * 1000;

/// SQL: whether a row of the table `session` may be a running session. The bound value is
/// `running_since_ms()`.
inline constexpr const char* kMayBeRunning =
    "finished_ms = 0 AND max(started_ms, coalesce("
    "(SELECT max(time_stamp_ms) FROM measurement WHERE session_id = session.id), 0)) > ?";
/// The Unix time before which a running session must have stored something.
std::int64_t running_since_ms();

}  // namespace warptune::db::storage
