#include "tuner/protocol/message_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "tuner/protocol/length.h"

namespace warptune::tuner::protocol {

namespace {
constexpr std::size_t kShownBytes = 64;  // A message shows at most so much of the other end's version.
}

MessageChannel::MessageChannel(FileDescriptor descriptor, Hello greeting)
    : descriptor_(std::move(descriptor)), greeting_(std::move(greeting)) {
  if (descriptor_.get() >= 0) append(greeting_);
}

MessageChannel MessageChannel::resumed(FileDescriptor descriptor) {
  MessageChannel channel(FileDescriptor(-1));
  channel.descriptor_ = std::move(descriptor);
  channel.greeted_ = true;
  return channel;
}

void MessageChannel::append(const Message& message) {
  const std::string body = encode(message);
  const auto length = length_as_bytes(body.size());
  unsent_.append(length.begin(), length.end());
  unsent_ += body;
}

bool MessageChannel::send(const Message& message) {
  append(message);
  return flush(0);
}

void MessageChannel::post(const Message& message) {
  append(message);
  flush(MSG_DONTWAIT);
}

// Returns false when something is left to send.
bool MessageChannel::flush(int flags) {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t count =
        ::send(descriptor_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL | flags);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  unsent_.erase(0, sent);
  return unsent_.empty();
}

bool MessageChannel::drain() {
  if (!problem_.empty()) return false;
  flush(MSG_DONTWAIT);
  char buffer[65536];
  // Stops reading when the unread bytes are slightly more than the longest message has. The rest stays in the
  // socket, so the other end cannot fill this process's memory.
  while (received_.size() - consumed_bytes_ < kLengthBytes + Limits().message_bytes + sizeof(buffer)) {
    const ssize_t count = ::recv(descriptor_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  return true;
}

std::optional<std::string> MessageChannel::next_bytes() {
  const std::size_t left = received_.size() - consumed_bytes_;
  if (!problem_.empty() || left < kLengthBytes) return std::nullopt;
  const std::uint64_t length = length_in(received_.data() + consumed_bytes_);
  if (length > Limits().message_bytes) {
    problem_ = fmt::format("a message of {} bytes was announced", length);
    return std::nullopt;
  }
  if (left < kLengthBytes + length) return std::nullopt;
  std::string body = received_.substr(consumed_bytes_ + kLengthBytes, length);
  consumed_bytes_ += kLengthBytes + length;
  // Erasing moves all later bytes. So it is done rarely, because messages may be small.
  if (consumed_bytes_ >= received_.size() / 2) {
    received_.erase(0, consumed_bytes_);
    consumed_bytes_ = 0;
  }
  return body;
}

void MessageChannel::check(const Hello& hello) {
  if (hello.warptune != greeting_.warptune) {
    problem_ = fmt::format("it is warptune {}, this end is warptune {}",
                           base::printable(hello.warptune.substr(0, kShownBytes)), greeting_.warptune);
  } else if (hello.version != greeting_.version) {
    problem_ = fmt::format("it speaks version {} of the protocol, this end speaks version {}", hello.version,
                           greeting_.version);
  }
  has_other_version_ = !problem_.empty();
}

std::optional<Message> MessageChannel::next() {
  while (const std::optional<std::string> body = next_bytes()) {
    base::Result<Message> message = decode(*body);
    const Hello* const hello = message ? std::get_if<Hello>(&*message) : nullptr;
    if (!message) {
      problem_ = message.error();
    } else if (std::exchange(greeted_, true)) {
      return std::move(*message);
    } else if (hello == nullptr) {
      problem_ = "its first message is not `hello`";
    } else {
      check(*hello);
    }
    if (!problem_.empty()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Message> MessageChannel::receive(int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    if (std::optional<Message> message = next()) return message;
    if (!problem_.empty()) return std::nullopt;
    flush(MSG_DONTWAIT);
    // The time limit holds for the whole message, however slowly its bytes arrive.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{descriptor_.get(), static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready =
        ::poll(&wait, 1, timeout_ms < 0 ? -1 : static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready == 0 || (ready < 0 && errno != EINTR)) return std::nullopt;
    const std::size_t before = received_.size();
    const bool open = drain();
    // The other end has closed the connection. Bytes that came before that may complete a message.
    if (!open && received_.size() == before) return std::nullopt;
  }
}

}  // namespace warptune::tuner::protocol
