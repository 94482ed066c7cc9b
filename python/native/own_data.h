// The arrays and the check of a Python program.
#pragma once

#include <nanobind/nanobind.h>

#include "library/tuning/program_data.h"
#include "python/native/session_thread.h"

namespace warptune::python::native {

/// Copies of a program's arrays. A tuning uses them instead of the data that the definition generates.
struct OwnData {
  library::tuning::ProgramData data;
};

/// Makes a check that the session's thread can call. It runs the Python function `check` on the thread that
/// waits in `run_session` (`on_caller`), with a list of (argument, type, bytes). `check` returns None, or a
/// text that says why the outputs are wrong. Both arguments must outlive the result.
library::tuning::ProgramCheck check_on_caller(const nanobind::callable& check, const OnCaller& on_caller);

}  // namespace warptune::python::native
