#pragma once

#include <cstdint>
#include <functional>

#include "base/descriptor.h"

namespace warptune::tuner::workers::warm {

/// Serves as the pool of warm workers of one user: starts compile workers, lends them to sessions, and keeps
/// those that sessions give back. A worker is lent to one session at a time, and only to sessions that name
/// the same definition, readable folders, environment and working directory.
///
/// Returns when no session is connected and no worker is left, when the file of `lock` was removed, and after
/// SIGTERM, SIGINT or SIGHUP. Then the pool's files are removed. Its workers end with this process, however
/// it ends. `lock` is the locked file, which gets the process id.
///
/// `available_bytes` is the memory that processes may still take, in bytes; 0: unknown. Idle workers hold at
/// most a quarter of it.
int serve_pool(base::Descriptor listener, base::Descriptor lock,
               const std::function<std::uint64_t()>& available_bytes);

}  // namespace warptune::tuner::workers::warm
