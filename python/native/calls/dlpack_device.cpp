#include "python/native/calls/dlpack_device.h"

#include "python/native/calls/array_view.h"
#include "python/native/calls/interned.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

DlpackDevice dlpack_device_of(const nb::object& device) {
  if (PyTuple_Check(device.ptr()) == 0 || PyTuple_Size(device.ptr()) != 2)
    throw UnusableArgument("its __dlpack_device__ is not a tuple of two numbers");
  const auto number = [&](Py_ssize_t at) {
    PyObject* index = PyNumber_Index(PyTuple_GetItem(device.ptr(), at));
    if (index == nullptr) throw nb::python_error();
    return integer_of(nb::steal(index));
  };
  return {number(0), static_cast<int>(number(1))};
}

}  // namespace warptune::python::native::calls
