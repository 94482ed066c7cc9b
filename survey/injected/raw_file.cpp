#include "survey/injected/raw_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace warptune::survey::injected {

namespace {

using collecting::RawChunk;
using collecting::RawChunkHeader;

constexpr int kMaxCounters = 10000;
constexpr int kFirstOwnDescriptor = 3;

constexpr std::uint64_t kMaxKeptFree = std::uint64_t{256} << 20U;

// The bytes that this user may still write, or nothing if that is unknown.
std::optional<std::uint64_t> free_bytes(int file) {
  struct statvfs system {};
  if (::fstatvfs(file, &system) != 0) return std::nullopt;
  return std::uint64_t{system.f_bavail} * system.f_frsize;
}

// While this object lives, a file that grows beyond the program's limit does not end the program.
class BlockedSizeSignal {
 public:
  BlockedSizeSignal() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSizeSignal() {
    if (::sigismember(&before_, SIGXFSZ) == 0) {
      const timespec none{};
      ::sigtimedwait(&set_, nullptr, &none);
      ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
  }
  BlockedSizeSignal(const BlockedSizeSignal&) = delete;
  BlockedSizeSignal& operator=(const BlockedSizeSignal&) = delete;

 private:
  sigset_t set_{};
  sigset_t before_{};
};

// A program may have closed its standard output, and still write to it.
int open_above_standard(const char* path, int flags) {
  const int file = ::open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0 || file >= kFirstOwnDescriptor) return file;
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, kFirstOwnDescriptor);
  ::close(file);
  return copy;
}

bool write_all(int file, const void* data, std::size_t bytes) {
  const BlockedSizeSignal guard;
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

bool RawFile::create(const char* folder, const collecting::RawHeader& header, std::uint64_t keep_free) {
  header_ = header;
  for (int counter = 0; counter < kMaxCounters; ++counter) {
    const auto name = [&](std::array<char, 4352>& path, const char* suffix) {
      std::snprintf(path.data(), path.size(), "%s/%ld-%d%s", folder, static_cast<long>(header.pid), counter,
                    suffix);
    };
    name(path_, collecting::kRawSuffix);
    name(totals_path_, collecting::kTotalsSuffix);
    name(new_totals_path_, ".new");
    file_ = open_above_standard(path_.data(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
    if (file_ >= 0 || errno != EEXIST) break;
  }
  if (file_ < 0) return false;
  broken_ = !write_all(file_, &header, sizeof(header));
  keep_free_ = keep_free != 0 ? keep_free : std::min(kMaxKeptFree, free_bytes(file_).value_or(0) / 2);
  close();
  return !broken_;
}

bool RawFile::open(bool for_records) {
  file_ = open_above_standard(path_.data(), O_WRONLY | O_APPEND);
  if (file_ < 0) return false;
  if (!for_records || free_bytes(file_).value_or(keep_free_) >= keep_free_) return true;
  close();
  return false;
}

void RawFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool RawFile::write_chunk(int file, RawChunk kind, std::uint32_t count, const void* data,
                          std::size_t bytes) const {
  RawChunkHeader header;
  header.kind = static_cast<std::uint32_t>(kind);
  header.count = count;
  header.bytes = bytes;
  header.checksum = collecting::raw_checksum(data, bytes, collecting::raw_seed(header.kind, count));
  return write_all(file, &header, sizeof(header)) && write_all(file, data, bytes);
}

bool RawFile::write(RawChunk kind, std::uint32_t count, const void* data, std::size_t bytes) {
  if (broken_) return false;
  struct stat before {};
  const bool is_open = ::fstat(file_, &before) == 0;
  if (is_open && write_chunk(file_, kind, count, data, bytes)) return true;
  broken_ = true;
  if (is_open) static_cast<void>(::ftruncate(file_, before.st_size) == 0);
  return false;
}

void RawFile::write_text(RawChunk kind, const char* text, std::size_t length) {
  std::array<char, 8192> padded{};
  if (length > padded.size()) length = padded.size();
  std::memcpy(padded.data(), text, length);
  if (!open()) return;
  write(kind, static_cast<std::uint32_t>(length), padded.data(), collecting::raw_padded(length));
  close();
}

bool RawFile::replace_totals(const collecting::RawCounts& counts, const collecting::RawTotal* totals,
                             std::uint32_t count) {
  const int file = open_above_standard(new_totals_path_.data(), O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0) return false;
  const bool written =
      write_all(file, &header_, sizeof(header_)) &&
      write_chunk(file, RawChunk::kCounts, 1, &counts, sizeof(counts)) &&
      (count == 0 || write_chunk(file, RawChunk::kTotals, count, totals, count * sizeof(*totals)));
  ::close(file);
  return written && std::rename(new_totals_path_.data(), totals_path_.data()) == 0;
}

}  // namespace warptune::survey::injected
