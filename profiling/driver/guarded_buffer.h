// Memory between two guards, on the device or on the host. The guards reveal writes outside of the memory.
// Memory may also have no guards. Then it has exactly the size that is asked for, and a program that checks
// memory accesses sees each access outside of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Whether buffers have guards around them.
enum class Guards { kAround, kNone };

/// Device memory between two guards of `kGuardBytes` bytes. `data()` is aligned to 512 bytes, as textures
/// need.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(Guards guards = Guards::kAround);

  /// Makes the buffer `bytes` long and writes the guards. If the memory has to grow, its contents are lost.
  /// `what` names the buffer in an error.
  void resize(std::size_t bytes, const std::string& what);
  void write_guards();

  CUdeviceptr data() const;
  std::size_t bytes() const { return bytes_; }
  std::size_t guard_bytes() const { return guard_bytes_; }  ///< The size of each guard.
  std::size_t guarded_bytes() const;
  CUdeviceptr guard_before() const;
  CUdeviceptr guard_after() const { return data() + bytes_; }
  /// Returns the size of the memory for a buffer of `bytes` bytes with guards around it.
  static std::size_t allocated_bytes(std::size_t bytes);

 private:
  std::size_t guard_bytes_;
  DeviceMemory memory_;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
};

/// Host memory between two guards. It has the same layout as a `GuardedBuffer` on the device.
class HostBuffer {
 public:
  explicit HostBuffer(Guards guards = Guards::kAround);

  /// Makes the buffer `bytes` long. Returns true if the memory is new: then it holds zeros, and its guards
  /// are not written. Throws `base::MachineError` with `what` when the memory does not suffice.
  bool resize(kernel_templates::Memory kind, std::size_t bytes, const std::string& what);

  bool exists() const { return memory_ != nullptr; }
  std::byte* guard_before() const { return memory_; }
  std::byte* data() const;
  /// The address for a launch. The GPU uses the host's address.
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(data()); }

 private:
  std::size_t guard_bytes_;
  PinnedMemory pinned_;
  std::unique_ptr<std::byte[]> pageable_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warptune::profiling::driver
