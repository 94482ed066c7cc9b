// Tensor maps describe tensors whose blocks a kernel copies with one instruction.
#pragma once

#include <array>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// A tensor map without the address of its tensor. It is prepared once. `encode` makes the driver's tensor
/// map for an address, and allocates nothing.
struct TensorMapLayout {
  static constexpr std::size_t kMaxDimensions = 5;  ///< CUDA driver API, cuTensorMapEncodeTiled.

  explicit TensorMapLayout(const kernel_templates::ResolvedArgument& argument);
  /// Elements out of bounds are read as zero. Returns the driver's code.
  CUresult encode(CUtensorMap& map, CUdeviceptr address) const noexcept;

  CUtensorMapDataType type;
  CUtensorMapSwizzle swizzle;
  cuuint32_t dimensions = 0;
  std::array<cuuint64_t, kMaxDimensions> shape{};
  std::array<cuuint64_t, kMaxDimensions> pitch_bytes{};
  std::array<cuuint32_t, kMaxDimensions> box{};
  std::array<cuuint32_t, kMaxDimensions> steps{};
};

/// Returns the tensor map of `argument` for the buffer at `address`. Throws `CudaError` when the driver
/// refuses the map.
CUtensorMap encode_tensor_map(const kernel_templates::ResolvedArgument& argument, CUdeviceptr address);

}  // namespace warptune::profiling::driver
