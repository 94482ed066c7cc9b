// The arrays and the check of a Python program.
#pragma once

#include <nanobind/nanobind.h>

#include "library/tuning/program_data.h"
#include "python/native/session_thread.h"

namespace warptune::python::native {

/// Copies of arrays that a tuning uses instead of what the definition generates.
struct OwnData {
  library::tuning::ProgramData data;
};

/// A check for the session's thread. It calls `check` with a list of (argument, type, bytes) on the calling
/// thread. `check` returns None, or why the outputs are wrong. Both arguments must outlive the check.
library::tuning::ProgramCheck check_on_caller(const nanobind::callable& check, const OnCaller& on_caller);

}  // namespace warptune::python::native
