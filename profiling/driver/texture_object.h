#pragma once

#include <cstddef>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// The alignment of linear memory that textures need (CUDA driver API,
/// CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT).
inline constexpr std::size_t kTextureAlignment = 512;

/// A texture of a buffer. It is empty at first.
class TextureObject {
 public:
  TextureObject() = default;
  /// `texture` is an argument of kind `kTexture`, and `place` is the address of its buffer. Throws
  /// `CudaError` when the driver refuses the texture.
  TextureObject(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place);

  /// Whether the texture was made from the same argument and address.
  bool is(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place) const;
  /// A `cudaTextureObject_t`, or 0 when the texture is empty.
  CUtexObject handle() const { return object_.get(); }

 private:
  struct Traits {
    using Handle = CUtexObject;
    static Handle null() { return 0; }
    static void close(Handle object) { cuda().cuTexObjectDestroy(object); }
  };

  base::UniqueHandle<Traits> object_;
  kernel_templates::DataType type_ = kernel_templates::DataType::kF32;
  kernel_templates::ResolvedTexture texture_;
  CUdeviceptr place_ = 0;
};

}  // namespace warptune::profiling::driver
