// The parts of PyTorch and CuPy that a call uses. The program may have imported neither.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// The classes and functions of PyTorch. All references are kept until the process ends.
struct TorchApi {
  PyObject* tensor = nullptr;     ///< `torch.Tensor`.
  PyObject* parameter = nullptr;  ///< `torch.nn.Parameter`, the most common subclass.
  std::array<PyObject*, 12>
      types{};  ///< The `torch.dtype` of each `DataType`; null if this version has none.
  PyObject* current_stream = nullptr;  ///< Takes an ordinal and returns the address of a stream.
  PyObject* is_grad_enabled = nullptr;
  PyObject* allocate = nullptr;  ///< Takes a size and a stream.
  PyObject* free = nullptr;      ///< Takes an address.
  PyObject* cuda = nullptr;      ///< `torch.cuda`.
};

/// The classes and functions of CuPy.
struct CupyApi {
  PyObject* array = nullptr;           ///< `cupy.ndarray`.
  std::array<PyObject*, 12> types{};   ///< The `numpy.dtype` of each `DataType`; null for `bf16`.
  PyObject* current_stream = nullptr;  ///< Returns a stream, or its address if `stream_is_address`.
  bool stream_is_address = false;
  PyObject* allocate = nullptr;         ///< `cupy.cuda.alloc`.
  PyObject* external_stream = nullptr;  ///< `cupy.cuda.ExternalStream`.
};

/// The parts of the library. Returns null if the program has not imported it completely.
const TorchApi* torch_api();
const CupyApi* cupy_api();

/// Reads a `torch.Tensor`. Throws `UnusableArgument` if it is not the wanted array.
ArrayView torch_view(PyObject* tensor, const WantedArray& wanted);
/// Reads a `cupy.ndarray`. Throws `UnusableArgument` if it is not the wanted array.
ArrayView cupy_view(PyObject* array, const WantedArray& wanted);

/// The stream on which the library would work now.
void* torch_stream(int device);
void* cupy_stream();

}  // namespace warptune::python::native::calls
