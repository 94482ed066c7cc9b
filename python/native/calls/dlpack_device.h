#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace warptune::python::native::calls {

/// What `__dlpack_device__` of an array returns: the kind of the device (`DLDeviceType`) and its number.
struct DlpackDevice {
  std::int64_t kind = 0;
  int number = 0;
};

/// Reads the result of `__dlpack_device__`. Throws `UnusableArgument` if it is not a tuple of two elements,
/// and `nanobind::python_error` if these are not integers.
DlpackDevice dlpack_device_of(const nanobind::object& device);

}  // namespace warptune::python::native::calls
