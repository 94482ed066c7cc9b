#include "tuner/detail/message_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warptune::tuner::detail {

namespace {

constexpr std::uint64_t kMostBytes = 1ULL << 30;  // A longer length is nonsense.
constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);

void append(std::string& bytes, const nlohmann::json& message) {
  const std::vector<std::uint8_t> body = nlohmann::json::to_cbor(message);
  const std::uint64_t length = body.size();
  const std::size_t start = bytes.size();
  bytes.resize(start + kLengthBytes);
  std::memcpy(bytes.data() + start, &length, kLengthBytes);
  bytes.append(body.begin(), body.end());
}

}  // namespace

void FileDescriptorTraits::close(Handle descriptor) { ::close(descriptor); }

bool MessageChannel::send(const nlohmann::json& message) {
  append(unsent_, message);
  return flush(0);
}

void MessageChannel::post(const nlohmann::json& message) {
  append(unsent_, message);
  flush(MSG_DONTWAIT);
}

// False when something is left.
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
  flush(MSG_DONTWAIT);
  char buffer[65536];
  while (true) {
    const ssize_t count = ::recv(descriptor_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count > 0) {
      pending_.append(buffer, static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<nlohmann::json> MessageChannel::next() {
  if (pending_.size() < kLengthBytes) return std::nullopt;
  std::uint64_t length = 0;
  std::memcpy(&length, pending_.data(), kLengthBytes);
  if (length > kMostBytes || pending_.size() < kLengthBytes + length) return std::nullopt;
  const auto* begin = reinterpret_cast<const std::uint8_t*>(pending_.data()) + kLengthBytes;
  nlohmann::json message = nlohmann::json::from_cbor(begin, begin + length, true, false);
  pending_.erase(0, kLengthBytes + length);
  if (message.is_discarded()) return std::nullopt;
  return message;
}

std::optional<nlohmann::json> MessageChannel::receive(int timeout_ms) {
  while (true) {
    if (std::optional<nlohmann::json> message = next()) return message;
    pollfd wait{descriptor_.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, timeout_ms);
    if (ready == 0 || (ready < 0 && errno != EINTR)) return std::nullopt;
    const std::size_t before = pending_.size();
    const bool open = drain();
    if (!open && pending_.size() == before) return std::nullopt;
  }
}

}  // namespace warptune::tuner::detail
