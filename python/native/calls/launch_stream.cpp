#include "python/native/calls/launch_stream.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.h"
#include "python/native/calls/interned.h"
#include "python/native/calls/torch_arrays.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

constexpr std::size_t kKeptStreams = 64;  // More than programs use at a time.

struct StreamNames {
  Name protocol{"__cuda_stream__"}, torch{"cuda_stream"}, cupy{"ptr"}, numba{"handle"}, value{"value"};
};
const StreamNames& stream_names() {
  static const StreamNames names;
  return names;
}

// The address in a stream of PyTorch (`cuda_stream`), CuPy (`ptr`) or Numba (`handle.value`). Null if the
// object has none of these attributes.
nb::object address_in(PyObject* given) {
  const StreamNames& names = stream_names();
  for (const Name* name : {&names.torch, &names.cupy, &names.numba}) {
    nb::object found = attribute_or_null(given, *name);
    if (!found.is_valid()) continue;
    if (PyLong_Check(found.ptr())) return found;
    if (nb::object inner = attribute_or_null(found.ptr(), names.value); inner.is_valid())
      return inner.is_none() ? nb::steal(PyLong_FromLong(0)) : inner;
  }
  return {};
}

nb::object number_of(PyObject* given) {
  if (PyLong_Check(given)) return nb::borrow(given);
  if (PyObject_HasAttr(given, stream_names().protocol.get()) != 0)
    return nb::borrow<nb::tuple>(call_method(given, stream_names().protocol))[1];
  return address_in(given);
}

}  // namespace

void* stream_of(PyObject* given) {
  const nb::object number = number_of(given);
  if (!number.is_valid() || !PyLong_Check(number.ptr()))
    throw base::InputError(
        fmt::format("stream=: expected a stream or its address, found {}", class_name(given)));
  const std::uint64_t address = address_of(number);
  return address == 1 ? nullptr
                      : reinterpret_cast<void*>(address);  // 1 is another name of the legacy stream.
}

void* current_stream_of(ArrayLibrary library, int device) {
  switch (library) {
    case ArrayLibrary::kTorch:
      return torch_stream(device);
    case ArrayLibrary::kCupy:
      return cupy_stream();
    case ArrayLibrary::kOther:
      break;
  }
  return nullptr;
}

nb::object recordable_stream(PyObject* given, void* stream, int device) {
  static const Name stream_name("Stream");
  PyObject* cuda = torch_api()->cuda;
  const int is_stream = PyObject_IsInstance(given, attribute(cuda, stream_name).ptr());
  if (is_stream < 0) throw nb::python_error();
  if (is_stream != 0) return nb::borrow(given);
  // To make an `ExternalStream`, PyTorch switches the device, which takes longer than a launch. The object
  // owns no stream, so it may be kept: it also means a later stream that gets the same address.
  static auto& kept = *new std::map<std::pair<void*, int>, nb::object>;  // Outlives the interpreter.
  if (const auto known = kept.find({stream, device}); known != kept.end()) return known->second;
  nb::object made = nb::handle(cuda).attr("ExternalStream")(reinterpret_cast<std::uint64_t>(stream),
                                                            nb::arg("device") = device);
  if (kept.size() >= kKeptStreams) kept.clear();
  kept.emplace(std::pair(stream, device), made);
  return made;
}

void record_stream(PyObject* tensor, const nb::object& stream) {
  static const Name record("record_stream");
  const std::array<PyObject*, 2> arguments{tensor, stream.ptr()};
  PyObject* result = PyObject_VectorcallMethod(record.get(), arguments.data(),
                                               arguments.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) throw nb::python_error();
  Py_DECREF(result);
}

}  // namespace warptune::python::native::calls
