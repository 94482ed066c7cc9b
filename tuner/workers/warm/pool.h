#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/descriptor.h"

namespace warptune::tuner::workers::warm {

struct PoolOptions {
  std::chrono::seconds keep{0};  ///< For how long an idle worker waits for a session of its definition.
  /// The memory that processes may still take, in bytes; 0: unknown. Idle workers hold at most a quarter of
  /// it.
  std::function<std::uint64_t()> available_bytes;
};

/// Serves as the pool of warm workers of one user: starts compile workers, lends them to sessions, and keeps
/// those that sessions give back. A worker is lent to one session at a time, and only to sessions that name
/// the same definition, readable folders, environment and working directory.
///
/// Returns when no session is connected and no worker is left, and when the file of `lock` was removed.
/// Its workers end with this process, however it ends. `lock` is the locked file, which gets the process id.
int serve_pool(base::Descriptor listener, base::Descriptor lock, const PoolOptions& options);

}  // namespace warptune::tuner::workers::warm
