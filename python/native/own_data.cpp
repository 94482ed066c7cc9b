#include "python/native/own_data.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/library.h"
#include "profiling/program_memory.h"
#include "profiling/resident_context.h"
#include "python/native/bindings.h"
#include "python/native/calls/array_view.h"
#include "python/native/calls/dlpack_device.h"
#include "python/native/kernel_source.h"

namespace warptune::python::native {

namespace nb = nanobind;
namespace dlpack = nb::dlpack;
using kernel_templates::ContentsRole;
using library::tuning::ProgramBuffer;
using library::tuning::ProgramResult;

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig>;

const char* type_letter(dlpack::dtype_code code) {
  switch (code) {
    case dlpack::dtype_code::Int:
      return "i";
    case dlpack::dtype_code::UInt:
      return "u";
    case dlpack::dtype_code::Float:
      return "f";
    case dlpack::dtype_code::Bfloat:
      return "bf";
    default:
      return "";
  }
}

std::string type_of(const AnyArray& array, const std::string& argument) {
  const dlpack::dtype type = array.dtype();
  std::string name = type_letter(static_cast<dlpack::dtype_code>(type.code)) + std::to_string(type.bits);
  if (type.lanes == 1 && kernel_templates::parse_data_type(name)) return name;
  throw base::InputError(fmt::format("argument '{}': the array has elements that no argument has", argument));
}

std::optional<int> device_of(const AnyArray& array, const std::string& argument) {
  const int device = array.device_type();
  if (device == nb::device::cpu::value || device == nb::device::cuda_host::value) return std::nullopt;
  if (device == nb::device::cuda::value || device == nb::device::cuda_managed::value)
    return array.device_id();
  throw base::InputError(
      fmt::format("argument '{}': expected an array of the host or of a CUDA device", argument));
}

void add(OwnData& own, const ProgramBuffer& buffer) {
  const nb::gil_scoped_release free;
  own.data.add(buffer);
}

ContentsRole role_of(bool expected) { return expected ? ContentsRole::kExpected : ContentsRole::kFirst; }

// PyTorch exports no memory in a process that was forked from one that used CUDA. If that is the reason why
// an array cannot be read, this throws the driver's error.
void require_cuda(nb::handle array, const std::string& argument) {
  if (PyObject_HasAttrString(array.ptr(), "__dlpack_device__") == 0) return;
  const nb::object device = array.attr("__dlpack_device__")();
  try {
    if (calls::dlpack_device_of(device).kind == nb::device::cuda::value) profiling::current_device();
  } catch (const calls::UnusableArgument& error) {
    throw base::InputError(fmt::format("argument '{}': {}", argument, error.what()));
  }
}

// If `type` is not empty, it replaces the type that the array names.
void add_array(OwnData& own, const std::string& argument, bool expected, nb::handle object,
               const std::string& type) {
  AnyArray array;
  if (!nb::try_cast(object, array)) {
    require_cuda(object, argument);
    throw base::InputError(fmt::format("argument '{}': expected an array, found {}", argument,
                                       nb::cast<std::string>(nb::str(object.type()))));
  }
  add(own, {argument, role_of(expected), type.empty() ? type_of(array, argument) : type, array.data(),
            array.nbytes(), device_of(array, argument)});
}

// Adds the memory that an array's `__array_interface__` or `__cuda_array_interface__` describes. The latter
// does not say which device it is of: then `device` is only a guess.
void add_memory(OwnData& own, const std::string& argument, bool expected, const std::string& type,
                std::uintptr_t address, std::uint64_t bytes, std::optional<int> device) {
  if (device) device = profiling::device_of_address(address).value_or(*device);
  add(own, {argument, role_of(expected), type, reinterpret_cast<const void*>(address), bytes, device});
}

// The name and the kind of each argument that is a buffer.
std::vector<std::pair<std::string, std::string>> buffers(const KernelSource& source) {
  const auto definition = kernel_templates::load_kernel(source.kernel, source.permissions());
  std::vector<std::pair<std::string, std::string>> found;
  for (const kernel_templates::Argument& argument : definition.arguments) {
    using kernel_templates::ArgumentKind;
    if (argument.kind == ArgumentKind::kIn) found.emplace_back(argument.name, "in");
    if (argument.kind == ArgumentKind::kOut) found.emplace_back(argument.name, "out");
    if (argument.kind == ArgumentKind::kInOut) found.emplace_back(argument.name, "inout");
  }
  return found;
}

nb::list results_to_python(const std::vector<ProgramResult>& results) {
  nb::list passed;
  for (const ProgramResult& result : results) {
    passed.append(
        nb::make_tuple(result.argument, result.type,
                       nb::bytes(reinterpret_cast<const char*>(result.bytes.data()), result.bytes.size())));
  }
  return passed;
}

}  // namespace

library::tuning::ProgramCheck check_on_caller(const nb::callable& check, const OnCaller& on_caller) {
  return [&check, &on_caller](const std::vector<ProgramResult>& results) {
    std::optional<std::string> why;
    on_caller([&] { why = nb::cast<std::optional<std::string>>(check(results_to_python(results))); });
    return why;
  };
}

void bind_own_data(nb::module_& module) {
  nb::class_<OwnData>(module, "OwnData", "Copies of arrays that a tuning uses.")
      .def(nb::init<>())
      .def("add_array", &add_array, nb::arg("argument"), nb::arg("expected"), nb::arg("array"),
           nb::arg("type"))
      .def("add_memory", &add_memory, nb::arg("argument"), nb::arg("expected"), nb::arg("type"),
           nb::arg("address"), nb::arg("bytes"), nb::arg("device").none());
  module.def("buffers", &buffers, nb::arg("source"), "The name and the kind of each input and output.");
}

}  // namespace warptune::python::native
