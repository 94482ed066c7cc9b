// Runs the sessions that Python starts.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "base/cancellation.h"
#include "tuner/session/session_events.h"

namespace warptune::python::native {

/// The session's thread calls it to run a task on the thread that called `run_session`. That thread holds the
/// GIL during the task. The call waits for the task's end. Throws `base::WorkError` if the session is
/// cancelled, or if the task raises an exception.
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
