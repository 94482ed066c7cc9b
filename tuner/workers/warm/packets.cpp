#include "tuner/workers/warm/packets.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "tuner/protocol/codec.h"

namespace warptune::tuner::workers::warm {

using protocol::FileDescriptor;

namespace {

constexpr std::size_t kMaxDescriptors = 3;
constexpr std::size_t kMaxPacketBytes = 128 << 10;
constexpr int kMaxWaitingSessions = 64;

using ControlBytes = std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)>;

FileDescriptor make_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// The address of the socket. The folder's descriptor is in it, because an address has at most 108 bytes.
sockaddr_un address_of(const Place& place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", place.folder.get(), place.socket());
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

}  // namespace

FileDescriptor listen_at(const Place& place) {
  FileDescriptor socket = make_socket();
  const sockaddr_un address = address_of(place);
  ::unlinkat(place.folder.get(), place.socket().c_str(), 0);
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(socket.get(), kMaxWaitingSessions) != 0)
    socket.reset();
  return socket;
}

FileDescriptor connect_to(const Place& place) {
  FileDescriptor socket = make_socket();
  const sockaddr_un address = address_of(place);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      !is_of_this_user(socket))
    socket.reset();
  return socket;
}

bool is_of_this_user(const FileDescriptor& socket) {
  ucred other{};
  socklen_t size = sizeof(other);
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == ::geteuid();
}

bool send_packet(const FileDescriptor& socket, const protocol::Message& message,
                 const std::vector<int>& descriptors) {
  std::string bytes = protocol::encode(message);
  if (bytes.size() > kMaxPacketBytes || descriptors.size() > kMaxDescriptors) return false;
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) ControlBytes control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = sizeof(int) * descriptors.size();
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const carried = CMSG_FIRSTHDR(&header);
    carried->cmsg_level = SOL_SOCKET;
    carried->cmsg_type = SCM_RIGHTS;
    carried->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(carried), descriptors.data(), size);
  }
  return ::sendmsg(socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

std::optional<Packet> receive_packet(const FileDescriptor& socket, std::chrono::milliseconds wait) {
  pollfd polled{socket.get(), POLLIN, 0};
  if (::poll(&polled, 1, static_cast<int>(wait.count())) != 1) return std::nullopt;
  std::string bytes(kMaxPacketBytes, '\0');
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) ControlBytes control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count <= 0) return std::nullopt;
  std::vector<FileDescriptor> descriptors;
  for (cmsghdr* carried = CMSG_FIRSTHDR(&header); carried != nullptr;
       carried = CMSG_NXTHDR(&header, carried)) {
    if (carried->cmsg_level != SOL_SOCKET || carried->cmsg_type != SCM_RIGHTS) continue;
    std::vector<int> numbers((carried->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(carried), numbers.size() * sizeof(int));
    for (const int number : numbers) descriptors.emplace_back(number);
  }
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return std::nullopt;
  base::Result<protocol::Message> message =
      protocol::decode(std::string_view(bytes).substr(0, static_cast<std::size_t>(count)));
  if (!message) return std::nullopt;
  return Packet{std::move(*message), std::move(descriptors)};
}

}  // namespace warptune::tuner::workers::warm
