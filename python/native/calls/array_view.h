// The memory of arrays of other libraries. Nothing is copied, and none of these libraries is imported.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernel_templates/data_type.h"

namespace warptune::python::native::calls {

/// The library of an array. The streams and the allocator of PyTorch and CuPy are used, so they are
/// distinguished.
enum class ArrayLibrary { kOther, kTorch, kCupy };

/// An argument cannot be used. The text is written after the argument's name: "expected a contiguous array".
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

/// The type, the device and the access that a kernel needs of an array.
struct WantedArray {
  kernel_templates::DataType type = kernel_templates::DataType::kF32;
  int device = 0;
  bool is_written = false;
};

/// Returns the library to which the object's class belongs.
ArrayLibrary library_of(PyObject* array);

/// Reads the address and the size of an array. `stream` is the `CUstream` that will use the array. If the
/// array names the stream of its producer, `stream` waits for it. Throws `UnusableArgument` if the object is
/// not an array, or does not fit `wanted`.
ArrayView view_of(PyObject* array, ArrayLibrary library, const WantedArray& wanted, void* stream);

/// The name of an object's class, for messages.
std::string class_name(PyObject* object);

/// Throws `UnusableArgument` if `type`, in NumPy's notation (`<f4`), is not the wanted type.
void check_type_text(const std::string& type, kernel_templates::DataType wanted);

/// Throws `UnusableArgument` for an array whose elements do not lie one after the other.
[[noreturn, gnu::noinline]] void refuse_strides();

/// Throws `UnusableArgument` with the device that was found. `found` is -1 for the host's memory.
void check_device(int found, int wanted);

}  // namespace warptune::python::native::calls
