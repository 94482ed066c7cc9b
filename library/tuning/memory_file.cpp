#include "library/tuning/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"

namespace warptune::library::tuning {

namespace {

[[noreturn]] void refuse(std::uint64_t bytes) {
  throw base::MachineError(
      fmt::format("{} bytes cannot be passed to a worker: {}", bytes, std::strerror(errno)),
      "free some memory, or tune with smaller buffers");
}

// Moves all bytes by `move(descriptor, address, count, offset)`, which is pread or pwrite.
template <class Move, class Byte>
bool move_all(Move move, int descriptor, Byte* data, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes;) {
    const ssize_t count = move(descriptor, data + at, bytes - at, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

MemoryFile::MemoryFile(std::uint64_t bytes)
    : descriptor_(::memfd_create("warptune buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  const bool made = descriptor_ >= 0 && ::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 &&
                    ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
  if (made) return;
  const int reason = errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  errno = reason;
  refuse(bytes);
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(other.bytes_) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::filesystem::path MemoryFile::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

void MemoryFile::write(const void* data) {
  if (!move_all(::pwrite, descriptor_, static_cast<const std::byte*>(data), bytes_)) refuse(bytes_);
}

std::vector<std::byte> MemoryFile::read() const {
  std::vector<std::byte> data(bytes_);
  if (!move_all(::pread, descriptor_, data.data(), bytes_)) refuse(bytes_);
  return data;
}

}  // namespace warptune::library::tuning
