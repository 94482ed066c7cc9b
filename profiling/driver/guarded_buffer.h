// Memory between two guards that show writes past its ends: of the device, and of the host.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Device memory between two guards of `kGuardBytes`; `data()` is aligned to 512 bytes, as textures want it.
class GuardedBuffer {
 public:
  /// Makes the buffer `bytes` long, growing the memory where needed (its contents are lost then), and sets
  /// the guards.
  void resize(std::size_t bytes, const std::string& what);
  void write_guards();

  CUdeviceptr data() const;
  std::size_t bytes() const { return bytes_; }
  std::size_t guarded_bytes() const;
  CUdeviceptr guard_before() const;
  CUdeviceptr guard_after() const { return data() + bytes_; }
  /// The memory that a buffer of so many bytes needs, guards included.
  static std::size_t allocated_bytes(std::size_t bytes);

 private:
  DeviceMemory memory_;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
};

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
