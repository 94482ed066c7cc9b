#pragma once

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::confinement {

/// Permanently limits this thread, and the threads that it starts from now on, to the system calls that a
/// compiler needs. Those are memory, files by path (Landlock restricts the paths), threads, clocks and the
/// sockets that are open. All other calls fail. So these threads can start no process, open no socket, send
/// no signal to another process, and change neither another process nor the system. Returns false if the
/// operating system does not support filters of system calls (seccomp), or if no filter exists for the
/// processor's architecture.
///
/// With `runs_programs` they may also start processes, which are limited in the same way, and wait for them.
/// If a `listener` is given, each start of a process (but not of a thread) waits until somebody who holds
/// this descriptor allows it (seccomp_unotify(2)). It stays empty, and such calls are allowed at once, if
/// `has_call_listeners()` is false.
bool filter_system_calls(bool runs_programs = false, protocol::FileDescriptor* listener = nullptr);

/// Whether the operating system asks a listener before it carries out a call: Linux 5.7 or later does.
bool has_call_listeners();

}  // namespace warptune::tuner::confinement
