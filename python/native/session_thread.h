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
/// `listen` is only called on the thread that called this function. An exception of `listen` and one of a
/// signal's handler, such as that of Ctrl-C, cancel the session. It ends as soon as `work` notices that, and
/// what is measured is stored. Signals are handled until the end. The last exception is raised then.
void run_session(const nanobind::callable& listen, const SessionWork& work);

}  // namespace warptune::python::native
