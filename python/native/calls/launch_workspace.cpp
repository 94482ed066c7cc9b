#include "python/native/calls/launch_workspace.h"

#include "python/native/calls/interned.h"
#include "python/native/calls/torch_arrays.h"

namespace warptune::python::native::calls {

namespace nb = nanobind;

namespace {

// CuPy allocates for its current stream, so `stream` is made the current one during the allocation.
nb::object cupy_memory(void* stream, std::uint64_t bytes) {
  const CupyApi& api = *cupy_api();
  const nb::object allocate = nb::borrow(api.allocate);
  if (cupy_stream() == stream) return allocate(bytes);
  const nb::object launch_stream = nb::borrow(api.external_stream)(reinterpret_cast<std::uint64_t>(stream));
  launch_stream.attr("__enter__")();
  nb::object memory;
  try {
    memory = allocate(bytes);
  } catch (...) {
    launch_stream.attr("__exit__")(nb::none(), nb::none(), nb::none());
    throw;
  }
  launch_stream.attr("__exit__")(nb::none(), nb::none(), nb::none());
  return memory;
}

}  // namespace

CallWorkspace::CallWorkspace(ArrayLibrary library, void* stream, std::uint64_t bytes,
                             profiling::StreamWorkspaces& own) {
  if (bytes == 0) return;
  if (library == ArrayLibrary::kTorch && torch_api()->allocate != nullptr) {
    torch_address_ = nb::borrow(torch_api()->allocate)(bytes, reinterpret_cast<std::uint64_t>(stream));
    address_ = address_of(torch_address_);
  } else if (library == ArrayLibrary::kCupy && cupy_api()->allocate != nullptr) {
    cupy_memory_ = cupy_memory(stream, bytes);
    address_ = address_of(cupy_memory_.attr("ptr"));
  } else {
    address_ = own.of(stream, bytes);
  }
}

// CuPy's object gives its memory back when it is destroyed. PyTorch only gave an address, which must be
// freed.
CallWorkspace::~CallWorkspace() {
  if (!torch_address_.is_valid()) return;
  const nb::object freed =
      nb::steal(PyObject_CallFunctionObjArgs(torch_api()->free, torch_address_.ptr(), nullptr));
  if (!freed.is_valid()) PyErr_WriteUnraisable(torch_api()->free);
}

}  // namespace warptune::python::native::calls
