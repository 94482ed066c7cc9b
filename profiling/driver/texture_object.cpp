#include "profiling/driver/texture_object.h"

#include "base/error.h"

namespace warptune::profiling::driver {

using kernel_templates::DataType;

namespace {

CUarray_format format_of(DataType type) {
  switch (type) {
    case DataType::kF32:
      return CU_AD_FORMAT_FLOAT;
    case DataType::kF16:
      return CU_AD_FORMAT_HALF;
    case DataType::kI32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case DataType::kU32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case DataType::kI16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case DataType::kU16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case DataType::kI8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case DataType::kU8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    default:
      throw base::InternalError("a texture of a type that textures do not have");
  }
}

}  // namespace

// The descriptors are described in the CUDA driver API, cuTexObjectCreate.
TextureObject::TextureObject(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place)
    : type_(texture.type), texture_(texture.texture), place_(place) {
  const std::size_t element_bytes = kernel_templates::info(type_).size_bytes;
  const auto width = static_cast<std::size_t>(texture_.width);
  CUDA_RESOURCE_DESC resource{};
  if (texture_.height == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = place;
    resource.res.linear.format = format_of(type_);
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = width * element_bytes;
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = place;
    resource.res.pitch2D.format = format_of(type_);
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = static_cast<std::size_t>(texture_.height);
    resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(texture_.pitch) * element_bytes;
  }
  CUDA_TEXTURE_DESC reading{};
  for (CUaddress_mode& mode : reading.addressMode)
    mode = texture_.border ? CU_TR_ADDRESS_MODE_BORDER : CU_TR_ADDRESS_MODE_CLAMP;
  reading.filterMode = texture_.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  // Without the flag, integers are converted to real numbers from 0 to 1.
  reading.flags = kernel_templates::info(type_).floating ? 0U : CU_TRSF_READ_AS_INTEGER;
  WARPTUNE_CUDA(cuTexObjectCreate(object_.out(), &resource, &reading, nullptr));
}

bool TextureObject::is(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place) const {
  return handle() != 0 && type_ == texture.type && texture_ == texture.texture && place_ == place;
}

}  // namespace warptune::profiling::driver
