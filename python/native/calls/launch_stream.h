#pragma once

#include <nanobind/nanobind.h>

#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// Returns the `CUstream` that a caller means: a number, or a stream of PyTorch, CuPy, Numba or cuda.core.
/// Null is the legacy default stream. Throws `base::InputError` for anything else.
void* stream_of(PyObject* given);

/// Returns the stream on which the arrays' library works now; for others the legacy default stream.
void* current_stream_of(ArrayLibrary library, int device);

/// Tells PyTorch that a tensor is used on a stream that is not the current one, so that its memory is not
/// given to others too early. `given` is what the caller passed for the stream.
void record_stream(PyObject* tensor, PyObject* given, void* stream, int device);

}  // namespace warptune::python::native::calls
