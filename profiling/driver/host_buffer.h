#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Memory of the host between two guards, laid out as a `GuardedBuffer` of the device.
class HostBuffer {
 public:
  /// Makes the buffer `bytes` long. True where it is new: its contents are zeros, its guards are not set.
  /// Throws `base::MachineError` naming `what` when the memory is not there.
  bool resize(kernel_templates::Memory kind, std::size_t bytes, const std::string& what);

  bool exists() const { return memory_ != nullptr; }
  std::byte* guard_before() const { return memory_; }
  std::byte* data() const;
  /// Where a launch finds it: GPUs know it by the host's address.
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(data()); }

 private:
  PinnedMemory pinned_;
  std::unique_ptr<std::byte[]> pageable_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warptune::profiling::driver
