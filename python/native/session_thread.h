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

/// Runs `work` on a thread of its own. The calling thread leaves the interpreter to other threads meanwhile.
/// It passes events to `listen`, each as one line of JSON, but not those about single measured rows. So
/// `listen` is only called on the thread that called this function. An exception of `listen`, of a task and
/// of a signal's handler, such as that of Ctrl-C, cancel the session. It ends as soon as `work` notices that,
/// and what is measured is stored. Signals are handled until the end. The last exception is raised then.
void run_session(const nanobind::callable& listen, const SessionWork& work);

}  // namespace warptune::python::native
