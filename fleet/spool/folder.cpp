#include "fleet/spool/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "fleet/spool/step.h"
#include "fleet/spool/warnings.h"

namespace warptune::fleet::spool {

namespace {

constexpr unsigned kFolderBits = 02777;
constexpr unsigned kFileBits = 0666;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::int64_t changed_ms(const struct stat& found) {
  return static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1000 + found.st_mtim.tv_nsec / 1'000'000;
}

FileStatus status_of(const struct stat& found) {
  return {changed_ms(found), found.st_mode & 07777U, S_ISREG(found.st_mode)};
}

bool is_missing(int reason) { return reason == ENOENT; }
// Nothing, a link, a socket, or a file of NFS that another machine has removed.
bool is_no_file(int reason) {
  return is_missing(reason) || reason == ELOOP || reason == ENXIO || reason == ESTALE;
}

// What root makes belongs to the owner of its folder, who could neither read nor remove it otherwise.
void give_to_owner(int folder, int made) {
  struct stat found {};
  if (::geteuid() != 0 || ::fstat(folder, &found) != 0 || found.st_uid == 0) return;
  static_cast<void>(::fchown(made, found.st_uid, found.st_gid) == 0);  // A file system may not allow it.
}

}  // namespace

void throw_failed_call(const std::filesystem::path& path, const char* what) {
  const int reason = errno;
  const char* remedy = "";
  if (reason == ENOSPC || reason == EDQUOT) remedy = "free some space on the file system of the spool";
  if (reason == EROFS) remedy = "only commands that read campaigns work on a file system that is read-only";
  if (reason == EACCES || reason == EPERM)
    remedy = "the owner of the spool decides with the permissions of its folder who may read and write it";
  throw base::MachineError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(reason)), remedy);
}

Folder::Folder(Descriptor descriptor, std::filesystem::path path, unsigned mode)
    : descriptor_(std::move(descriptor)), path_(std::move(path)), mode_(mode) {}

std::optional<Folder> Folder::open(const std::filesystem::path& path) {
  Descriptor descriptor(::open(path.c_str(), kFolderFlags));
  if (!descriptor && is_missing(errno)) return std::nullopt;
  struct stat found {};
  if (!descriptor || ::fstat(descriptor.get(), &found) != 0) throw_failed_call(path, "cannot be opened");
  return Folder(std::move(descriptor), path, found.st_mode & kFolderBits);
}

std::optional<Folder> Folder::find(const std::string& name) const {
  Descriptor opened(::openat(descriptor(), name.c_str(), kFolderFlags | O_NOFOLLOW));
  if (opened) return Folder(std::move(opened), path_ / name, mode_);
  if (is_missing(errno)) return std::nullopt;
  if (errno != ENOTDIR && errno != ELOOP) throw_failed_call(path_ / name, "cannot be opened");
  warn_once(fmt::format("{}: expected a folder of the spool; it is left out", (path_ / name).string()));
  return std::nullopt;
}

Folder Folder::at(const std::string& name) const {
  if (auto found = find(name)) return std::move(*found);
  throw base::MachineError(fmt::format("{}: this folder of the spool is missing", (path_ / name).string()),
                           "check that its file system is mounted");
}

Folder Folder::made(const std::string& name) const {
  if (auto found = find(name)) return std::move(*found);
  const Step step{"mkdir", descriptor(), name.c_str()};
  if ((step_fails(step) || ::mkdirat(descriptor(), name.c_str(), mode_) != 0) && errno != EEXIST)
    throw_failed_call(path_ / name, "cannot be made");
  Folder folder = at(name);
  give_to_owner(descriptor(), folder.descriptor());
  // The umask may have removed permissions.
  if (::fchmod(folder.descriptor(), mode_) != 0) throw_failed_call(folder.path(), "cannot be made");
  sync();
  return folder;
}

std::vector<std::string> Folder::names() const {
  // The copy of a descriptor would share its position with other readers.
  const int again = ::openat(descriptor(), ".", kFolderFlags);
  const std::unique_ptr<DIR, int (*)(DIR*)> listed(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (!listed) throw_failed_call(path_, "cannot be listed");
  std::vector<std::string> found;
  errno = 0;
  while (const dirent* entry = ::readdir(listed.get()))
    if (entry->d_name[0] != '.') found.emplace_back(entry->d_name);
  if (errno != 0) throw_failed_call(path_, "cannot be listed");
  return found;
}

std::optional<FileStatus> Folder::status(const std::string& name) const {
  struct stat found {};
  if (::fstatat(descriptor(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return status_of(found);
  if (!is_missing(errno)) throw_failed_call(path_ / name, "cannot be read");
  return std::nullopt;
}

std::optional<FileStatus> Folder::current_status(const std::string& name) const {
  // Clients of NFS keep attributes for up to a minute, but ask the server when a file is opened.
  const Descriptor file(::openat(descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && is_no_file(errno)) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) throw_failed_call(path_ / name, "cannot be read");
  return status_of(found);
}

std::optional<std::string> Folder::read(const std::string& name, std::size_t max_bytes) const {
  const Descriptor file(::openat(descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && is_no_file(errno)) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) throw_failed_call(path_ / name, "cannot be read");
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  std::string bytes(std::min(max_bytes, static_cast<std::size_t>(found.st_size)), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_failed_call(path_ / name, "cannot be read");
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

std::string Folder::token() {
  std::string digits;
  for (const char byte : base::random_bytes(8))
    digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

Folder Folder::again() const {
  Descriptor opened(::openat(descriptor(), ".", kFolderFlags));
  if (!opened) throw_failed_call(path_, "cannot be opened");
  return Folder(std::move(opened), path_, mode_);
}

bool Folder::is_same(const Folder& other) const {
  struct stat one {};
  struct stat two {};
  return ::fstat(descriptor(), &one) == 0 && ::fstat(other.descriptor(), &two) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

Descriptor Folder::write_file(const std::string& name, std::string_view bytes) const {
  if (step_fails({"create", descriptor(), name.c_str()})) throw_failed_call(path_ / name, "cannot be made");
  Descriptor file(
      ::openat(descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_ & kFileBits));
  if (!file) throw_failed_call(path_ / name, "cannot be made");
  give_to_owner(descriptor(), file.get());
  if (step_fails({"write", descriptor(), name.c_str()})) return {};
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  // The umask may have removed permissions.
  struct stat made {};
  if (::fstat(file.get(), &made) != 0) return {};
  if ((made.st_mode & kFileBits) != (mode_ & kFileBits) && ::fchmod(file.get(), mode_ & kFileBits) != 0)
    return {};
  return file;
}

std::string Folder::write_new(std::string_view bytes) const {
  std::string name = ".new-" + token();
  Descriptor file = write_file(name, bytes);
  // Network file systems may report a full disk when the file is closed.
  if (file && !step_fails({"fsync", descriptor(), name.c_str()}) && ::fsync(file.get()) == 0 &&
      ::close(file.release()) == 0)
    return name;
  const int reason = errno;
  ::unlinkat(descriptor(), name.c_str(), 0);
  errno = reason;
  throw_failed_call(path_ / name, "cannot be written");
}

void Folder::make_empty(const std::string& name) const {
  if (!write_file(name, "")) throw_failed_call(path_ / name, "cannot be made");
}

void Folder::replace(const std::string& name, std::string_view bytes) const {
  const std::string written = write_new(bytes);
  try {
    move(written, *this, name);
  } catch (const base::MachineError&) {
    ::unlinkat(descriptor(), written.c_str(), 0);
    throw;
  }
  sync();
}

bool Folder::add(const std::string& name, std::string_view bytes) const {
  const std::string written = write_new(bytes);
  bool added = false;
  try {
    added = link(written, *this, name);
  } catch (const base::MachineError&) {
    ::unlinkat(descriptor(), written.c_str(), 0);
    throw;
  }
  remove(written);
  sync();
  return added;
}

bool Folder::is_same_file(const std::string& name, const Folder& folder, const std::string& other) const {
  struct stat one {};
  struct stat two {};
  return ::fstatat(descriptor(), name.c_str(), &one, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstatat(folder.descriptor(), other.c_str(), &two, AT_SYMLINK_NOFOLLOW) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool Folder::link(const std::string& name, const Folder& folder, const std::string& further) const {
  const Step step{"link", descriptor(), name.c_str(), folder.descriptor(), further.c_str()};
  if (!step_fails(step) && ::linkat(descriptor(), name.c_str(), folder.descriptor(), further.c_str(), 0) == 0)
    return true;
  if (errno != EEXIST) throw_failed_call(folder.path() / further, "cannot be made");
  // If the reply of a file server is lost, the client asks again, and its own link is in the way.
  return is_same_file(name, folder, further);
}

bool Folder::move(const std::string& name, const Folder& folder, const std::string& new_name) const {
  const Step step{"rename", descriptor(), name.c_str(), folder.descriptor(), new_name.c_str()};
  if (!step_fails(step) && ::renameat(descriptor(), name.c_str(), folder.descriptor(), new_name.c_str()) == 0)
    return true;
  if (!is_missing(errno)) throw_failed_call(folder.path() / new_name, "cannot be made");
  return folder.status(new_name).has_value();
}

bool Folder::move_folder(const std::string& name, const std::string& new_name) const {
  const Step step{"rename", descriptor(), name.c_str(), descriptor(), new_name.c_str()};
  if (!step_fails(step) && ::renameat(descriptor(), name.c_str(), descriptor(), new_name.c_str()) == 0)
    return true;
  if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR && !is_missing(errno))
    throw_failed_call(path_ / new_name, "cannot be made");
  return false;
}

bool Folder::touch(const std::string& name) const {
  const Step step{"touch", descriptor(), name.c_str()};
  if (!step_fails(step) && ::utimensat(descriptor(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0)
    return true;
  if (!is_missing(errno)) throw_failed_call(path_ / name, "its time cannot be set");
  return false;
}

void Folder::set_mode(const std::string& name, unsigned mode) const {
  const Step step{"chmod", descriptor(), name.c_str()};
  if (step_fails(step) || ::fchmodat(descriptor(), name.c_str(), mode, 0) != 0)
    throw_failed_call(path_ / name, "its permissions cannot be set");
}

void Folder::remove(const std::string& name) const {
  const Step step{"unlink", descriptor(), name.c_str()};
  if ((step_fails(step) || ::unlinkat(descriptor(), name.c_str(), 0) != 0) && !is_missing(errno))
    throw_failed_call(path_ / name, "cannot be removed");
}

void Folder::sync() const {
  // Some network file systems have no fsync of folders: their servers write names at once.
  if ((step_fails({"fsync", descriptor()}) || ::fsync(descriptor()) != 0) && errno != EINVAL &&
      errno != ENOSYS && errno != ENOTSUP)
    throw_failed_call(path_, "cannot be written to the disk");
}

}  // namespace warptune::fleet::spool
