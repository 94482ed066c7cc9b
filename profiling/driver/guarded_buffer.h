// Memory between two guards, on the device, on the host, or managed. The guards reveal writes outside of the
// memory. Memory may also have no guards. Then it has exactly the size that is asked for, and a program that
// checks memory accesses sees each access outside of it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kernel_templates/buffer_memory.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/managed_memory.h"

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

/// Memory between two guards that is not the GPU's own: in the host's memory, or managed. It has the same
/// layout as a `GuardedBuffer`.
class SeparateBuffer {
 public:
  explicit SeparateBuffer(Guards guards = Guards::kAround);

  /// Makes the buffer `bytes` long. Returns true if the memory is new: then neither contents nor guards are
  /// written. `kind` must be the same in every call. Throws `base::MachineError` with `what` when the memory
  /// does not suffice.
  bool resize(kernel_templates::Memory kind, std::size_t bytes, const std::string& what);
  bool exists() const { return data_ != nullptr; }
  /// Enqueues a copy of `contents`, in the GPU's memory, to this buffer. The guards stay as they are.
  void write(CUdeviceptr contents, CUstream stream) const;
  /// Enqueue copies between this buffer and one in the GPU's memory of the same length, with the guards.
  void write_guarded(const GuardedBuffer& from, CUstream stream) const;
  void read_guarded(const GuardedBuffer& to, CUstream stream) const;
  /// Writes the guards by the host, at once.
  void write_guards() const;
  /// Only for managed memory: gives the driver the advice of `pages`.
  void advise(const kernel_templates::ManagedPages& pages) { managed_->advise(pages); }
  /// If the memory is managed, enqueues moving its pages to where `advise` said that a launch finds them. May
  /// wait for the stream.
  void settle(CUstream stream) const;
  /// The address for a launch.
  CUdeviceptr address() const { return address_; }

 private:
  std::byte* guard_before() const;
  std::size_t guarded_bytes() const;

  std::size_t guard_bytes_;
  PinnedMemory pinned_;
  std::unique_ptr<std::byte[]> pageable_;
  std::optional<ManagedMemory> managed_;
  std::byte* data_ = nullptr;  ///< The host's address.
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warptune::profiling::driver
