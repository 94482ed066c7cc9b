// The arrays and streams that a program got from another library, such as PyTorch, in a device's primary
// context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace warptune::profiling {

/// Makes a device's primary context current in the calling thread for the lifetime of the object. It is the
/// context that CUDA's runtime uses. It stays retained until the process ends.
class PrimaryContext {
 public:
  /// Throws `base::MachineError` if there is no driver or no such device.
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
};

/// Returns the ordinal of the device whose memory the address is in. Returns nothing for memory of the host
/// that CUDA does not know.
std::optional<int> device_of_address(std::uint64_t address);

/// Returns whether the stream (`CUstream`) is being captured into a graph. Throws `base::MachineError` if the
/// driver refuses.
bool is_capturing(void* stream);

/// Lets `stream` wait for what `producer` has been given so far. Both are a `CUstream` of the current
/// context. Throws `base::MachineError` if the driver refuses.
void wait_for_stream(void* stream, void* producer);

/// A workspace for each stream of a context, for launches whose caller has no allocator. They are freed with
/// the object.
class StreamWorkspaces {
 public:
  StreamWorkspaces() = default;
  ~StreamWorkspaces();
  StreamWorkspaces(const StreamWorkspaces&) = delete;
  StreamWorkspaces& operator=(const StreamWorkspaces&) = delete;

  /// Returns the address of the stream's workspace, which is allocated the first time and has always the same
  /// size. The context must be current. Throws `base::MachineError` if there is not enough memory, and
  /// `base::InputError` if it would be allocated while the stream is captured.
  std::uint64_t of(void* stream, std::size_t bytes);

 private:
  std::map<void*, std::uint64_t> addresses_;
};

}  // namespace warptune::profiling
