// Makes tensor maps, which describe tensors whose blocks a kernel copies with one instruction.
#include "profiling/driver/tensor_map.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptune::profiling::driver {

namespace {

CUtensorMapDataType tensor_map_type(kernel_templates::DataType type) {
  switch (type) {
    case kernel_templates::DataType::kF16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case kernel_templates::DataType::kBf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case kernel_templates::DataType::kF32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case kernel_templates::DataType::kF64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case kernel_templates::DataType::kI32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case kernel_templates::DataType::kI64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case kernel_templates::DataType::kU32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case kernel_templates::DataType::kU64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case kernel_templates::DataType::kI16:
    case kernel_templates::DataType::kU16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

}  // namespace

// The arguments are described in the CUDA driver API, cuTensorMapEncodeTiled.
CUtensorMap encode_tensor_map(const kernel_templates::ResolvedArgument& argument, CUdeviceptr address) {
  const kernel_templates::ResolvedTensorMap& map = argument.tensor_map;
  const std::size_t element_bytes = kernel_templates::info(argument.type).size_bytes;
  std::vector<cuuint64_t> shape(map.shape.begin(), map.shape.end());
  std::vector<cuuint64_t> pitch_bytes;
  for (const std::int64_t pitch : map.pitch)
    pitch_bytes.push_back(static_cast<cuuint64_t>(pitch) * element_bytes);
  std::vector<cuuint32_t> box(map.box.begin(), map.box.end());
  const std::vector<cuuint32_t> steps(map.box.size(), 1);
  const CUtensorMapSwizzle swizzle = map.swizzle_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : map.swizzle_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : map.swizzle_bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                               : CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMap encoded{};
  WARPTUNE_CUDA(
      cuTensorMapEncodeTiled(&encoded, tensor_map_type(argument.type), static_cast<cuuint32_t>(shape.size()),
                             reinterpret_cast<void*>(address), shape.data(), pitch_bytes.data(), box.data(),
                             steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return encoded;
}

}  // namespace warptune::profiling::driver
