// The parts of the extension module. Each function `bind_...` adds one of them.
#pragma once

#include <nanobind/nanobind.h>

#include "base/error.h"

namespace warptune::python::native {

/// From now on, a C++ error of warptune raises the exception of the same kind in `warptune._errors`.
void bind_errors();
/// Sets Python's current exception to the one that belongs to an error.
void set_exception(const base::Error& error);
void bind_space(nanobind::module_& module);
/// Arrays that a Python program gives to a tuning: `OwnData`, `buffers`.
void bind_own_data(nanobind::module_& module);
/// Functions that measure, or that compile: `tune`, `check`, `explain`, `profile`.
void bind_sessions(nanobind::module_& module);
/// Functions that only read stored results: `query`, `results`, `plot`, `report_page`.
void bind_questions(nanobind::module_& module);

}  // namespace warptune::python::native
