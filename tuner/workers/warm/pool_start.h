#pragma once

#include <chrono>

#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {

/// The numbers of the descriptors that a pool inherits: the socket that listens, and the locked file.
inline constexpr int kListenerDescriptor = 3;
inline constexpr int kLockDescriptor = 4;

/// Starts a pool: a process of the worker program with the hidden command `worker pool`. It is not a
/// child of this process, has no terminal, and keeps idle workers for `keep`. When this returns, sessions can
/// connect. Returns false if it cannot be started, or if another process has just started one.
bool start_pool(const Place& place, std::chrono::seconds keep);

}  // namespace warptune::tuner::workers::warm
