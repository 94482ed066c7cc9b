#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/unique_handle.h"

namespace warptune::tuner::detail {

struct FileDescriptorTraits {
  using Handle = int;
  static Handle null() { return -1; }
  static void close(Handle descriptor);
};
using FileDescriptor = base::UniqueHandle<FileDescriptorTraits>;

/// One end of a socket pair that carries CBOR messages, each after its length in 8 bytes (host order: both
/// ends are one machine).
class MessageChannel {
 public:
  explicit MessageChannel(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  /// Sends all of it, waiting for the other end to read; false when that is gone.
  bool send(const nlohmann::json& message);
  /// Sends what goes without waiting; the rest goes with later calls of `drain`. For an end that may hang.
  void post(const nlohmann::json& message);
  /// Whether something posted has not gone out: `drain` again when the descriptor is writable.
  bool has_unsent() const { return !unsent_.empty(); }
  /// Waits for one message; nothing when the other end is gone, spoke nonsense, or `timeout_ms` (-1: none)
  /// has passed.
  std::optional<nlohmann::json> receive(int timeout_ms = -1);
  /// Reads what is there without waiting; afterwards `next` gives complete messages. False when the other end
  /// is gone.
  bool drain();
  /// A complete message among what was drained.
  std::optional<nlohmann::json> next();
  int descriptor() const { return descriptor_.get(); }

 private:
  bool flush(int flags);

  FileDescriptor descriptor_;
  std::string pending_;  // Received, not yet taken.
  std::string unsent_;
};

}  // namespace warptune::tuner::detail
