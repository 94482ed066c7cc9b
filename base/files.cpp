#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/code_folder.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/streams/file_writer.h"

namespace warptune::base {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError("expected a file, found a folder", {path.string(), 0, 0});
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("cannot be read: {}", std::strerror(errno)), {path.string(), 0, 0});
  // Reads in blocks, because files in /proc and pipes do not report a size. Reading single characters would
  // take ten times as long.
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  std::string text;
  while (in) {
    const std::size_t size = text.size();
    text.resize(size + kBlock);
    in.read(text.data() + size, kBlock);
    text.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

namespace {

// On failure it returns false and sets `errno`.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

bool replace_file(const fs::path& path, std::string_view bytes, unsigned mode) {
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, bytes) && ::fchmod(descriptor, mode) == 0;
  int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed && ::rename(beside.c_str(), path.c_str()) == 0) return true;
  if (written) reason = errno;
  ::unlink(beside.c_str());
  errno = reason;
  return false;
}

void require_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  std::error_code ignored;
  if (folder.empty() || fs::exists(folder, ignored)) return;
  throw InputError(fmt::format("{}: the folder {} does not exist; make it, or correct the path",
                               path.string(), folder.string()));
}

void require_writable(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return;
  const streams::FileWriter tried(path);  // Removes its file, because it is not finished.
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  streams::FileWriter writer(path);
  writer.add(bytes);
  writer.finish();
}

bool make_private_folder(const fs::path& path) {
  fs::path below;
  for (const fs::path& part : fs::absolute(path)) {
    below /= part;
    if (::mkdir(below.c_str(), 0700) != 0 && errno != EEXIST) {
      const int reason = errno;
      if (std::error_code ignored; fs::is_directory(below, ignored))
        continue;  // The folder exists on a disk that cannot be written.
      errno = reason;
      return false;
    }
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return true;
  errno = ENOTDIR;
  return false;
}

bool make_private_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno == EEXIST;
  return ::close(descriptor) == 0;
}

std::optional<std::string> read_own_file(const fs::path& path, std::uint64_t max_bytes, struct stat* status) {
  // A link is not followed, and the call does not wait for a pipe that has no writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat found {};
  std::string bytes;
  bool whole = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
               static_cast<std::uint64_t>(found.st_size) <= max_bytes;
  if (whole) {
    bytes.resize(static_cast<std::size_t>(found.st_size));
    std::size_t at = 0;
    while (whole && at < bytes.size()) {
      const ssize_t count = ::read(descriptor, bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno == EINTR) continue;
      whole = count > 0;
      if (whole) at += static_cast<std::size_t>(count);
    }
  }
  ::close(descriptor);
  if (!whole) return std::nullopt;
  if (status != nullptr) *status = found;
  return bytes;
}

fs::path cache_folder() {
  const fs::path cache = environment_text(Variable::kCacheHome);
  if (!cache.empty()) return cache / "warptune";
  const fs::path home = environment_text(Variable::kHome);
  return home.empty() ? fs::path() : home / ".cache/warptune";
}

fs::path data_folder() {
  if (const fs::path data = environment_text(Variable::kDataHome); !data.empty()) return data / "warptune";
  if (const fs::path home = environment_text(Variable::kHome); !home.empty())
    return home / ".local" / "share" / "warptune";
  throw MachineError("no place for the database: neither XDG_DATA_HOME nor HOME is set",
                     "set one, or give --db FILE");
}

fs::path program_folder() {
  static const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  return folder;
}

fs::path share_folder() {
  // Links are resolved, because these paths are a part of the keys of compiled code.
  if (const fs::path share = environment_text(Variable::kShare); !share.empty())
    return fs::weakly_canonical(share);
  const fs::path code = code_folder();
  const fs::path share = fs::path("share") / "warptune";
  for (const fs::path& folder : {code, code.parent_path(), code.parent_path().parent_path()}) {
    if (fs::exists(folder / share)) return fs::weakly_canonical(folder / share);
  }
  return code.parent_path() / share;
}

}  // namespace warptune::base
