#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace warptune::python::native::calls {

/// What `__dlpack_device__` of an array returns: the kind of DLPack and the number.
struct DlpackDevice {
  std::int64_t kind = 0;
  int number = 0;
};

/// Throws `UnusableArgument` if it is not a tuple of two, and `nanobind::python_error` if they are not
/// integers.
DlpackDevice dlpack_device_of(const nanobind::object& device);

}  // namespace warptune::python::native::calls
