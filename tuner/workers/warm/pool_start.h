#pragma once

#include <string>
#include <vector>

#include "tuner/workers/warm/place.h"

namespace warptune::tuner::workers::warm {

/// The numbers of the descriptors that a pool inherits: the socket that listens, and the locked file.
inline constexpr int kListenerDescriptor = 3;
inline constexpr int kLockDescriptor = 4;

/// The environment of the pool's workers: that of compile workers, without the variables that compiling does
/// not read. Each is `NAME=VALUE`.
std::vector<std::string> environment_of_workers();

/// Starts a pool: a process of the worker program with the hidden command `worker pool`. It is not a
/// child of this process, and has no terminal. When this returns, sessions can connect. Returns false if it
/// cannot be started, or if another process has just started one.
bool start_pool(const Place& place);

}  // namespace warptune::tuner::workers::warm
