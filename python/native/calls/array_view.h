// The memory of arrays of other libraries. Nothing is copied, and none of these libraries is imported.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernel_templates/data_type.h"

namespace warptune::python::native::calls {

/// The library that an array belongs to, as far as its streams and its allocator are used.
enum class ArrayLibrary { kOther, kTorch, kCupy };

/// What is wrong with an argument, in words that follow its name: "expected a contiguous array".
class UnusableArgument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The memory of an array on a device.
struct ArrayView {
  ArrayLibrary library = ArrayLibrary::kOther;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// What an array must be.
struct WantedArray {
  kernel_templates::DataType type = kernel_templates::DataType::kF32;
  int device = 0;
  bool is_written = false;
};

/// Returns the library whose class the object is an instance of.
ArrayLibrary library_of(PyObject* array);

/// Reads where an array is. `stream` is the `CUstream` that will use it: it waits for the array's producer if
/// the array names one. Throws `UnusableArgument` if the object is not an array, or not the wanted one.
ArrayView view_of(PyObject* array, ArrayLibrary library, const WantedArray& wanted, void* stream);

/// The name of an object's class, for messages.
std::string class_name(PyObject* object);

/// Reads `<f4` and the like. Throws `UnusableArgument` if a kernel has no such type.
void check_type_text(const std::string& type, kernel_templates::DataType wanted);

/// Throws `UnusableArgument` for an array whose elements do not lie one after the other.
[[noreturn, gnu::noinline]] void refuse_strides();

/// Throws `UnusableArgument` with the device that was found. `found` is -1 for the host's memory.
void check_device(int found, int wanted);

}  // namespace warptune::python::native::calls
