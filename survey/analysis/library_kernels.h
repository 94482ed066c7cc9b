// Kernels of NVIDIA's libraries, by their names.
#pragma once

#include <string_view>

namespace warptune::survey::analysis {

/// The library that a kernel belongs to. `kCommunication` is NCCL, whose kernels move data between GPUs and
/// use few blocks on purpose. `kClosed` are libraries without public source: cuBLAS, cuDNN, cuFFT and
/// cuSPARSE.
enum class KernelLibrary { kNone, kCommunication, kClosed };

/// Recognises the library by its demangled kernel name. Names of kernels are not documented, so an unknown
/// one is `kNone`.
KernelLibrary library_of_kernel(std::string_view name);

}  // namespace warptune::survey::analysis
