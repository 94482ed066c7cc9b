#pragma once

#include <nanobind/nanobind.h>

namespace warptune::python::native::calls {

/// Adds the function `load` and the class of what it returns.
void bind_loading(nanobind::module_& module);

}  // namespace warptune::python::native::calls
