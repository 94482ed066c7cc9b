#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "kernel_templates/data_type.h"

namespace warptune::python::native::calls {

/// Writes a Python number as the bytes of a kernel's scalar, at most eight. Throws `UnusableArgument` if it
/// is not a number or not in the type's range.
void write_scalar(PyObject* number, kernel_templates::DataType type, std::uint64_t& bytes);

}  // namespace warptune::python::native::calls
