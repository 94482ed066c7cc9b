// Sessions that Python starts.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "base/cancellation.h"
#include "tuner/session/session_events.h"

namespace warptune::python::native {

/// For the session's thread: runs a task on the thread that called `run_session`, which has the interpreter
/// then, and waits for it. Throws `base::WorkError` if the session is cancelled or the task raises something.
using OnCaller = std::function<void(const std::function<void()>& task)>;
using SessionWork = std::function<void(tuner::session::SessionListener& listener,
                                       const base::Cancellation& cancellation, const OnCaller& on_caller)>;

/// Runs `work` on a thread of its own and waits for its end. While it waits, the calling thread releases the
/// GIL. It passes the session's events to `listen`, each as one line of JSON, except events about single
/// measured rows. `listen` is called only on this thread.
///
/// An exception in `listen`, in a task or in a signal handler (such as that of Ctrl-C) cancels the session.
/// The session ends as soon as `work` notices the cancellation, and everything measured is stored. Signals
/// are handled until then. At the end, the last exception is raised.
void run_session(const nanobind::callable& listen, const SessionWork& work);

}  // namespace warptune::python::native
