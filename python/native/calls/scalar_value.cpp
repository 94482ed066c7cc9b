#include "python/native/calls/scalar_value.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernel_templates/argument_data.h"
#include "python/native/calls/array_view.h"
#include "python/native/calls/interned.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

using kernel_templates::DataType;

namespace {

[[noreturn]] void refuse(PyObject* found, DataType type, const char* wanted) {
  PyErr_Clear();
  throw UnusableArgument(fmt::format("expected {} for the type {}, found {}", wanted,
                                     kernel_templates::info(type).name, class_name(found)));
}

[[noreturn]] void refuse_range(PyObject* found, DataType type) {
  PyErr_Clear();
  throw UnusableArgument(fmt::format("{} is not in the range of the type {}",
                                     nb::cast<std::string>(nb::str(nb::handle(found))),
                                     kernel_templates::info(type).name));
}

template <class T>
void write(T value, std::uint64_t& bytes) {
  std::memcpy(&bytes, &value, sizeof value);
}

template <class T>
void write_integer(PyObject* number, DataType type, std::uint64_t& bytes) {
  const nb::object integer = nb::steal(PyNumber_Index(number));
  if (!integer.is_valid()) refuse(number, type, "an int");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (overflow > 0) {  // Above the range of `long long`.
      const unsigned long long large = PyLong_AsUnsignedLongLong(integer.ptr());
      if (PyErr_Occurred() != nullptr) refuse_range(number, type);
      return write<T>(large, bytes);
    }
  }
  if (overflow != 0 || !std::in_range<T>(value)) refuse_range(number, type);
  write(static_cast<T>(value), bytes);
}

// Converts to f16 or bf16, in the same way as scalars of a definition are converted.
void write_half(double value, DataType type, std::uint64_t& bytes) {
  kernel_templates::ResolvedArgument argument;
  argument.type = type;
  argument.scalar = value;
  const std::vector<std::byte> converted = kernel_templates::scalar_bytes(argument);
  std::memcpy(&bytes, converted.data(), converted.size());
}

void write_real(PyObject* number, DataType type, std::uint64_t& bytes) {
  const double value = PyFloat_AsDouble(number);
  if (value == -1.0 && PyErr_Occurred() != nullptr) refuse(number, type, "a number");
  if (type == DataType::kF64) return write(value, bytes);
  if (type == DataType::kF32) return write(static_cast<float>(value), bytes);
  write_half(value, type, bytes);
}

// Refuses arrays of PyTorch and CuPy as scalars, because reading their element would wait for the GPU.
void check_is_number(PyObject* number, DataType type) {
  if (PyLong_CheckExact(number) || PyFloat_CheckExact(number)) return;
  if (library_of(number) != ArrayLibrary::kOther) refuse(number, type, "a number in the host's memory");
}

}  // namespace

void write_scalar(PyObject* number, DataType type, std::uint64_t& bytes) {
  check_is_number(number, type);
  switch (type) {
    case DataType::kI8:
      return write_integer<std::int8_t>(number, type, bytes);
    case DataType::kI16:
      return write_integer<std::int16_t>(number, type, bytes);
    case DataType::kI32:
      return write_integer<std::int32_t>(number, type, bytes);
    case DataType::kI64:
      return write_integer<std::int64_t>(number, type, bytes);
    case DataType::kU8:
      return write_integer<std::uint8_t>(number, type, bytes);
    case DataType::kU16:
      return write_integer<std::uint16_t>(number, type, bytes);
    case DataType::kU32:
      return write_integer<std::uint32_t>(number, type, bytes);
    case DataType::kU64:
      return write_integer<std::uint64_t>(number, type, bytes);
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kF32:
    case DataType::kF64:
      return write_real(number, type, bytes);
  }
}

}  // namespace warptune::python::native::calls
