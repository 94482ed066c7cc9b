// The parts of the extension module. Each function adds one of them.
#pragma once

#include <nanobind/nanobind.h>

namespace warptune::python::native {

/// Every error of warptune becomes the exception of its kind in `warptune._errors`.
void bind_errors();
void bind_space(nanobind::module_& module);
/// The arrays of a program: `OwnData`, `buffers`.
void bind_own_data(nanobind::module_& module);
/// Functions that measure, or that compile: `tune`, `check`, `explain`, `profile`.
void bind_sessions(nanobind::module_& module);
/// Functions that only read what is known: `query`, `results`, `report`.
void bind_questions(nanobind::module_& module);

}  // namespace warptune::python::native
