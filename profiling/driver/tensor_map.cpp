// Makes tensor maps, which describe tensors whose blocks a kernel copies with one instruction.
#include "profiling/driver/tensor_map.h"

#include <cstddef>
#include <cstdint>

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

CUtensorMapSwizzle swizzle_of(std::int64_t bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

}  // namespace

TensorMapLayout::TensorMapLayout(const kernel_templates::ResolvedArgument& argument)
    : type(tensor_map_type(argument.type)),
      swizzle(swizzle_of(argument.tensor_map.swizzle_bytes)),
      dimensions(static_cast<cuuint32_t>(argument.tensor_map.shape.size())) {
  const kernel_templates::ResolvedTensorMap& map = argument.tensor_map;
  const std::size_t element_bytes = kernel_templates::info(argument.type).size_bytes;
  for (std::size_t i = 0; i < map.shape.size(); ++i) {
    shape.at(i) = static_cast<cuuint64_t>(map.shape[i]);
    box.at(i) = static_cast<cuuint32_t>(map.box.at(i));
    steps.at(i) = 1;
  }
  for (std::size_t i = 0; i < map.pitch.size(); ++i)
    pitch_bytes.at(i) = static_cast<cuuint64_t>(map.pitch[i]) * element_bytes;
}

// The arguments are described in the CUDA driver API, cuTensorMapEncodeTiled.
CUresult TensorMapLayout::encode(CUtensorMap& map, CUdeviceptr address) const noexcept {
  return cuda().cuTensorMapEncodeTiled(&map, type, dimensions, reinterpret_cast<void*>(address), shape.data(),
                                       pitch_bytes.data(), box.data(), steps.data(),
                                       CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                       CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

CUtensorMap encode_tensor_map(const kernel_templates::ResolvedArgument& argument, CUdeviceptr address) {
  CUtensorMap encoded{};
  check_cuda(TensorMapLayout(argument).encode(encoded, address), "cuTensorMapEncodeTiled");
  return encoded;
}

}  // namespace warptune::profiling::driver
