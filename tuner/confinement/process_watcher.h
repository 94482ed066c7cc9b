#pragma once

#include <csignal>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::confinement {

/// The maximum number of processes in the group of a worker that runs programs. The worker and its watcher
/// count, too. nvcc needs about four more at the same time. The number can be exceeded for a moment, because
/// processes that are just being started are not counted. But it never doubles.
inline constexpr int kMaxProcesses = 64;
/// A worker whose group exceeds this number is ended by this signal. Nothing else sends it to a worker.
inline constexpr int kTooManyProcesses = SIGUSR2;

/// Makes this process the leader of a process group, and starts a second process in that group, its watcher.
/// As soon as this process has ended, the watcher kills the whole group, whatever ended this process. It is
/// needed because the operating system kills a worker with its coordinator, but not what the worker's
/// programs have started.
///
/// The watcher sees the end when the descriptor that is returned closes. No program may inherit it. Call this
/// before the process starts threads. Throws `base::MachineError` if the watcher cannot be started.
protocol::FileDescriptor start_process_watcher();

/// Gives the watcher the descriptor through which the operating system asks before each start of a process
/// (`filter_system_calls`). From then on the watcher counts the processes of the group. Instead of allowing
/// one too many, it ends the worker with `kTooManyProcesses` and kills the group.
void hand_to_watcher(const protocol::FileDescriptor& watcher, protocol::FileDescriptor listener);

}  // namespace warptune::tuner::confinement
