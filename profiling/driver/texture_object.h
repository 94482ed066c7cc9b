#pragma once

#include <cstddef>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// What textures want of the address of linear memory (CUDA driver API,
/// CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT).
inline constexpr std::size_t kTextureAlignment = 512;

/// A texture of a buffer; none at first.
class TextureObject {
 public:
  TextureObject() = default;
  /// `texture` is an argument of kind `kTexture`, `place` the address of its buffer. Throws `CudaError` where
  /// the driver refuses it.
  TextureObject(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place);

  /// Whether it was made of the same.
  bool is(const kernel_templates::ResolvedArgument& texture, CUdeviceptr place) const;
  /// A `cudaTextureObject_t`; 0: none.
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
