#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "tuner/protocol/codec.h"

namespace warptune::tuner::protocol {

using FileDescriptor = base::Descriptor;

/// One end of a stream socket that carries messages. Each message is preceded by its length, 8 bytes, the
/// lowest byte first. The first message of each end is `Hello`. The channel sends and checks it by itself.
/// The conversation ends when the other end has closed the socket. It also ends when the received bytes are
/// not a message, or when the other end has another version of warptune or of the protocol. The channel
/// then reads nothing more, and `problem` says why.
class MessageChannel {
 public:
  explicit MessageChannel(FileDescriptor descriptor, Hello greeting = {});
  /// Goes on with a conversation after its `Hello`: another channel began it with the same program.
  static MessageChannel resumed(FileDescriptor descriptor);

  /// Sends a message and waits until all of it is sent. Returns false when the other end is gone.
  bool send(const Message& message);
  /// Sends what is possible without waiting. Later calls of `drain` send the rest. Use it when the receiver
  /// may hang, because `send` would wait for it.
  void post(const Message& message);
  /// Whether a posted message is not sent completely. Call `drain` again when the descriptor is writable.
  bool has_unsent() const { return !unsent_.empty(); }
  /// Waits for one message. Returns std::nullopt when the conversation has ended or `timeout_ms` has passed
  /// (-1: no limit).
  std::optional<Message> receive(int timeout_ms = -1);
  /// Sends what `post` has left over and reads what has arrived, both without waiting. It stops reading when
  /// it holds slightly more bytes than the longest message has. Afterwards `next` returns the complete
  /// messages. Returns false when the conversation has ended.
  bool drain();
  /// The next complete message that `drain` has read. Returns std::nullopt if there is none.
  std::optional<Message> next();
  int descriptor() const { return descriptor_.get(); }
  /// Why the bytes from the other end were refused, for people. Empty if they were not.
  const std::string& problem() const { return problem_; }
  /// Whether they were refused because the other end has another version.
  bool has_other_version() const { return has_other_version_; }
  /// Whether another channel can go on with the conversation: both ends have said `Hello`, and no part of a
  /// message is left on this side.
  bool can_be_resumed() const {
    return greeted_ && problem_.empty() && unsent_.empty() && consumed_bytes_ == received_.size();
  }

 private:
  bool flush(int flags);
  void check(const Hello& hello);
  void append(const Message& message);  // Appends its length and its bytes to `unsent_`.
  std::optional<std::string> next_bytes();

  FileDescriptor descriptor_;
  Hello greeting_;
  std::string received_;
  std::size_t consumed_bytes_ = 0;  // Bytes at the front of `received_` that `next` has returned.
  std::string unsent_;
  bool greeted_ = false;  // The other end's `Hello` has arrived.
  std::string problem_;
  bool has_other_version_ = false;
};

}  // namespace warptune::tuner::protocol
