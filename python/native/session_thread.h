// Sessions that Python starts.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "base/cancellation.h"
#include "tuner/session/session_events.h"

namespace warptune::python::native {

using SessionWork =
    std::function<void(tuner::session::SessionListener& listener, const base::Cancellation& cancellation)>;

/// Runs `work` on a thread of its own. The calling thread leaves the interpreter to other threads meanwhile.
/// It passes events to `listen`, each as one line of JSON, but not those about single measured rows. So
/// `listen` is only called on the thread that called this function. An exception of `listen` and a signal,
/// such as Ctrl-C, end the session: what is measured is stored, and then the exception is raised.
void run_session(const nanobind::callable& listen, const SessionWork& work);

}  // namespace warptune::python::native
