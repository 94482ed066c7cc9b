#include "python/native/calls/launch_stream.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "python/native/calls/interned.h"
#include "python/native/calls/torch_arrays.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

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

void record_stream(PyObject* tensor, PyObject* given, void* stream, int device) {
  const nb::object cuda = nb::borrow(torch_api()->cuda);
  nb::object known = nb::borrow(given);
  if (!nb::isinstance(known, cuda.attr("Stream")))
    known = cuda.attr("ExternalStream")(reinterpret_cast<std::uint64_t>(stream), nb::arg("device") = device);
  nb::handle(tensor).attr("record_stream")(known);
}

}  // namespace warptune::python::native::calls
