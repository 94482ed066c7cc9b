#pragma once

#include <nanobind/nanobind.h>

#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// Returns the `CUstream` that a caller means: a number, or a stream of PyTorch, CuPy, Numba or cuda.core.
/// Null is the legacy default stream. Throws `base::InputError` for anything else.
void* stream_of(PyObject* given);

/// Returns the current stream of PyTorch or CuPy. For `kOther`, it is the legacy default stream.
void* current_stream_of(ArrayLibrary library, int device);

/// Tells PyTorch that a tensor is used on `stream`, which is not the current one. Otherwise PyTorch might
/// reuse the tensor's memory too early. `given` is the object that the caller passed for the stream.
void record_stream(PyObject* tensor, PyObject* given, void* stream, int device);

}  // namespace warptune::python::native::calls
