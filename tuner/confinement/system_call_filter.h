#pragma once

namespace warptune::tuner::confinement {

/// Leaves this thread, and those that it starts from now on, the system calls that a compiler needs: memory,
/// files by path (which others restrict), threads, clocks and the sockets that are open. No new process, no
/// new socket, no signal to another process, nothing that changes another process or the system. Calls beyond
/// these fail. For good. False where this kernel or processor has no filters (seccomp).
bool filter_system_calls();

}  // namespace warptune::tuner::confinement
