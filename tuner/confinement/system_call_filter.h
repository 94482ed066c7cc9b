#pragma once

namespace warptune::tuner::confinement {

/// Permanently limits this thread, and the threads that it starts from now on, to the system calls that a
/// compiler needs. Those are memory, files by path (Landlock restricts the paths), threads, clocks and the
/// sockets that are open. All other calls fail. So it can start no process, open no socket, send no signal to
/// another process, and change neither another process nor the system. Returns false if the operating system
/// or the processor has no filters (seccomp).
bool filter_system_calls();

}  // namespace warptune::tuner::confinement
