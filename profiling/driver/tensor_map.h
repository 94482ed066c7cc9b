// Tensor maps describe tensors whose blocks a kernel copies with one instruction.
#pragma once

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Returns the tensor map of `argument` for the buffer at `address`. Elements out of bounds are read as zero.
/// Throws `CudaError` when the driver refuses the map.
CUtensorMap encode_tensor_map(const kernel_templates::ResolvedArgument& argument, CUdeviceptr address);

}  // namespace warptune::profiling::driver
