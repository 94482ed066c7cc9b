// Works with the arrays and streams that a program got from another library, such as PyTorch. They belong to
// a device's primary context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace warptune::profiling {

/// Makes a device's primary context, which CUDA's runtime uses, current in the calling thread for the
/// lifetime of the object. The context stays retained until the process ends.
class PrimaryContext {
 public:
  /// Throws `base::MachineError` if there is no driver or no such device.
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
};

/// Returns the ordinal of the device in whose memory the address is. Returns std::nullopt for the host's
/// memory.
std::optional<int> device_of_address(std::uint64_t address);

/// Returns whether the stream (`CUstream`) is being captured into a graph. Throws `base::MachineError` if the
/// driver refuses.
bool is_capturing(void* stream);

/// Lets `stream` wait for the work that was enqueued on the stream `producer` so far. Both are a `CUstream`
/// of the current context. Throws `base::MachineError` if the driver refuses.
void wait_for_stream(void* stream, void* producer);

/// A number for each stream of a context. `CU_STREAM_PER_THREAD` is another stream in each thread, and so has
/// another number in each.
std::uintptr_t stream_number(const void* stream) noexcept;

/// A workspace for each stream of a context, for launches whose caller does not allocate one. The destructor
/// frees the workspaces, also those of threads that have ended.
class StreamWorkspaces {
 public:
  StreamWorkspaces() = default;
  ~StreamWorkspaces();
  StreamWorkspaces(const StreamWorkspaces&) = delete;
  StreamWorkspaces& operator=(const StreamWorkspaces&) = delete;

  /// Returns the address of the stream's workspace, which the first call allocates. Later calls must give the
  /// same `bytes`. The context must be current. Throws `base::MachineError` if there is not enough memory,
  /// and `base::InputError` if the workspace would be allocated while the stream is captured.
  std::uint64_t of(void* stream, std::size_t bytes);

 private:
  std::map<std::uintptr_t, std::uint64_t> addresses_;  // By the streams' numbers.
};

}  // namespace warptune::profiling
