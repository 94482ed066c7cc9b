// Small functions over Python's C API for the calls of loaded kernels. They use only the stable ABI of
// Python 3.12.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>

namespace warptune::python::native::calls {

/// A name that is interned once and kept until the process ends.
class Name {
 public:
  explicit Name(const char* text) : text_(PyUnicode_InternFromString(text)) {}
  PyObject* get() const { return text_; }

 private:
  PyObject* text_;
};

/// Returns the attribute, which the caller owns. Throws `nanobind::python_error` if there is none.
inline nanobind::object attribute(PyObject* of, const Name& name) {
  PyObject* found = PyObject_GetAttr(of, name.get());
  if (found == nullptr) throw nanobind::python_error();
  return nanobind::steal(found);
}

/// Returns the attribute, or a null object if there is none. Throws `nanobind::python_error` for exceptions
/// that do not derive from `Exception`, such as `KeyboardInterrupt`.
inline nanobind::object attribute_or_null(PyObject* of, const Name& name) {
  PyObject* found = PyObject_GetAttr(of, name.get());
  if (found == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nanobind::python_error();  // Ctrl-C, for example.
    PyErr_Clear();
  }
  return nanobind::steal(found);
}

/// Calls a method without arguments.
inline nanobind::object call_method(PyObject* of, const Name& name) {
  std::array<PyObject*, 1> arguments{of};
  PyObject* result =
      PyObject_VectorcallMethod(name.get(), arguments.data(), 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) throw nanobind::python_error();
  return nanobind::steal(result);
}

/// Reads an integer. Throws `nanobind::python_error` if it is not one.
inline std::int64_t integer_of(const nanobind::object& number) {
  const long long value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nanobind::python_error();
  return value;
}

/// Reads an address, which may be any unsigned number of 64 bits.
inline std::uint64_t address_of(const nanobind::object& number) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (value == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr)
    throw nanobind::python_error();
  return value;
}

}  // namespace warptune::python::native::calls
