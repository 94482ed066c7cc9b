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

/// One end of a stream socket that carries messages. Each is preceded by its length, 8 bytes, the lowest
/// first. The first message of each end is `Hello`, which the channel sends and checks by itself. What is no
/// message, or comes from an end of another version, ends the conversation: the channel reads nothing more,
/// and `problem` says why.
class MessageChannel {
 public:
  explicit MessageChannel(FileDescriptor descriptor, std::uint32_t version = kVersion);

  /// Sends all of it, waiting for the other end to read. False when the other end is gone.
  bool send(const Message& message);
  /// Sends what goes without waiting; the rest goes with later calls of `drain`. For an end that may hang.
  void post(const Message& message);
  /// Whether something posted has not gone out: `drain` again when the descriptor is writable.
  bool has_unsent() const { return !unsent_.empty(); }
  /// Waits for one message. Nothing when the conversation has ended or `timeout_ms` (-1: none) has passed.
  std::optional<Message> receive(int timeout_ms = -1);
  /// Reads what is there without waiting, but not much more than the longest message; afterwards `next` gives
  /// complete messages. False when the conversation has ended.
  bool drain();
  /// A complete message among what was drained.
  std::optional<Message> next();
  int descriptor() const { return descriptor_.get(); }
  /// What the other end sent that is no message of this version; empty when all was well.
  const std::string& problem() const { return problem_; }

 private:
  bool flush(int flags);
  void append(const Message& message);
  std::optional<std::string> next_bytes();

  FileDescriptor descriptor_;
  std::uint32_t version_;
  std::string received_;
  std::size_t taken_ = 0;  // Bytes at the front of it.
  std::string unsent_;
  bool greeted_ = false;  // The other end's `Hello` has come.
  std::string problem_;
};

}  // namespace warptune::tuner::protocol
