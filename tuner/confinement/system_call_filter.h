#pragma once

namespace warptune::tuner::confinement {

/// Permanently limits this thread, and the threads that it starts from now on, to the system calls that a
/// compiler needs. Those are memory, files by path (Landlock restricts the paths), threads, clocks and the
/// sockets that are open. All other calls fail. So these threads can start no process, open no socket, send
/// no signal to another process, and change neither another process nor the system. Returns false if the
/// operating system does not support filters of system calls (seccomp), or if no filter exists for the
/// processor's architecture.
///
/// With `runs_programs` they may also start processes, which are limited in the same way, and wait for them.
bool filter_system_calls(bool runs_programs = false);

}  // namespace warptune::tuner::confinement
