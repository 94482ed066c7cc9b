// Converts values between Python and C++. A configuration or a problem is a `dict` in Python and
// `NamedValues` in C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "model/value.h"

namespace warptune::python::native {

/// Keeps the order of the dictionary. Raises Python's `TypeError` for a value that is not a bool, an int, a
/// float or a str.
model::NamedValues named_values(const nanobind::dict& values);
nanobind::dict to_python(const model::NamedValues& values);

}  // namespace warptune::python::native
