// Tensor maps, by which kernels have blocks of a tensor copied.
#pragma once

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// The tensor map that `argument` is, of the buffer at `address`. What lies out of bounds is read as zero.
/// Throws `CudaError` where the driver refuses it.
CUtensorMap encode_tensor_map(const kernel_templates::ResolvedArgument& argument, CUdeviceptr address);

}  // namespace warptune::profiling::driver
