#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/unique_handle.h"
#include "tuner/protocol/codec.h"

namespace warptune::tuner::protocol {

struct FileDescriptorTraits {
  using Handle = int;
  static Handle null() { return -1; }
  static void close(Handle descriptor);
};
using FileDescriptor = base::UniqueHandle<FileDescriptorTraits>;

/// One end of a stream socket that carries messages. Each message is preceded by its length, 8 bytes, the
/// lowest byte first. The first message of each end is `Hello`. The channel sends and checks it by itself.
/// The channel ends the conversation when bytes are not a message or come from an end with another version.
/// It then reads nothing more, and `problem` says why.
class MessageChannel {
 public:
  explicit MessageChannel(FileDescriptor descriptor, std::uint32_t version = kVersion);

  /// Sends a message and waits until all of it is sent. Returns false when the other end is gone.
  bool send(const Message& message);
  /// Sends what is possible without waiting. Later calls of `drain` send the rest. For a receiver that may
  /// hang.
  void post(const Message& message);
  /// Whether a posted message is not sent completely. Call `drain` again when the descriptor is writable.
  bool has_unsent() const { return !unsent_.empty(); }
  /// Waits for one message. Returns std::nullopt when the conversation has ended or `timeout_ms` has passed
  /// (-1: no limit).
  std::optional<Message> receive(int timeout_ms = -1);
  /// Reads what has arrived, without waiting, but little more than the longest message. Afterwards `next`
  /// returns the complete messages. Returns false when the conversation has ended.
  bool drain();
  /// The next complete message that `drain` has read. Returns std::nullopt if there is none.
  std::optional<Message> next();
  int descriptor() const { return descriptor_.get(); }
  /// What the other end sent that is not a message of this version. Empty while all is well.
  const std::string& problem() const { return problem_; }

 private:
  bool flush(int flags);
  void append(const Message& message);
  std::optional<std::string> next_bytes();

  FileDescriptor descriptor_;
  std::uint32_t version_;
  std::string received_;
  std::size_t consumed_bytes_ = 0;  // Bytes at the front of `received_` that `next` has returned.
  std::string unsent_;
  bool greeted_ = false;  // The other end's `Hello` has arrived.
  std::string problem_;
};

}  // namespace warptune::tuner::protocol
