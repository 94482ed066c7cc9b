#pragma once

#include <nanobind/nanobind.h>

#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// Returns the `CUstream` that a caller means: a number, or a stream of PyTorch, CuPy, Numba or cuda.core.
/// Null is the legacy default stream. Throws `base::InputError` for anything else.
void* stream_of(PyObject* given);

/// Returns the current stream of PyTorch or CuPy. For `kOther`, it is the legacy default stream.
void* current_stream_of(ArrayLibrary library, int device);

/// Returns the `torch.cuda.Stream` of `stream`: `given`, which the caller passed, or one that is made for the
/// address. Throws `nanobind::python_error` if PyTorch refuses.
nanobind::object recordable_stream(PyObject* given, void* stream, int device);

/// Tells PyTorch that a tensor is used on a stream which is not the current one. Otherwise PyTorch might
/// reuse the tensor's memory too early. Throws `nanobind::python_error` if PyTorch refuses.
void record_stream(PyObject* tensor, const nanobind::object& stream);

}  // namespace warptune::python::native::calls
