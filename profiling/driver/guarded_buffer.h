// Memory between two guards, on the device with packed or padded rows, on the host, or managed. The guards
// reveal writes outside of the memory. Memory may also have no guards. Then it has exactly the size that is
// asked for, and a program that checks memory accesses sees each access outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernel_templates/buffer_memory.h"
#include "kernel_templates/kernel_instance.h"
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

/// Where rows are in memory, in bytes.
struct RowLayout {
  std::size_t rows = 0;
  std::size_t row_bytes = 0;    ///< The size of a row, without padding.
  std::size_t pitch_bytes = 0;  ///< From row to row.

  explicit RowLayout(const kernel_templates::ResolvedArgument& padded);
  RowLayout() = default;
  std::size_t bytes() const { return rows * pitch_bytes; }
  std::size_t padding_bytes() const { return pitch_bytes - row_bytes; }  ///< After each row.

  bool operator==(const RowLayout&) const = default;
};

/// The byte with which the padding of an argument is filled. In floating types it makes NaN or huge negative
/// numbers, so that most uses of them are noticed. Inputs and outputs have different bytes, so that a kernel
/// that copies the padding with the rows is noticed, too.
std::uint8_t padding_byte(kernel_templates::ArgumentKind kind);

/// Memory of the GPU that has rows with padding between them, and guards around it.
class PaddedBuffer {
 public:
  explicit PaddedBuffer(Guards guards = Guards::kAround) : buffer_(guards) {}

  /// Gives the memory another layout, writes the guards, and fills the padding with `byte`. Returns false if
  /// the memory has this layout already. Otherwise the rows have no contents. Waits for `stream`. Throws
  /// `base::MachineError` with `what` when the memory does not suffice.
  bool resize(const RowLayout& layout, std::uint8_t byte, CUstream stream, const std::string& what);
  bool exists() const { return layout_.rows > 0; }
  /// Enqueues a copy of packed rows to this buffer. The padding stays as it is.
  void write(CUdeviceptr packed, CUstream stream) const;
  /// Enqueues a copy of the rows to packed ones.
  void read(CUdeviceptr packed, CUstream stream) const;
  /// Restores the guards and the padding.
  void repair(CUstream stream);
  /// Forgets the layout, so that the next `resize` writes guards and padding again. The memory
  /// stays allocated.
  void forget() { layout_ = {}; }

  const RowLayout& layout() const { return layout_; }
  std::uint8_t byte() const { return byte_; }  ///< That of the padding.
  CUdeviceptr data() const { return buffer_.data(); }
  const GuardedBuffer& guarded() const { return buffer_; }

 private:
  void fill_padding(CUstream stream) const;

  GuardedBuffer buffer_;
  RowLayout layout_;
  std::uint8_t byte_ = 0;
};

}  // namespace warptune::profiling::driver
