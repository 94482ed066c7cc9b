#include "fleet/spool/spool_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace warptune::fleet::spool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVersionFile = "VERSION";
constexpr const char* kVersion = "warptune spool 2\n";
constexpr const char* kClock = "clock";
constexpr unsigned kOthersWrite = 022;

std::string address_of(const std::filesystem::path& folder) { return "spool:" + folder.string(); }

bool is_trusted(uid_t user) { return user == 0 || user == ::geteuid(); }

// Whether nobody but this user and root can put something else at a path. Each folder above it must belong to
// one of them. Others must not be able to write into it, or to rename what is in it (the sticky bit, as in
// /tmp). The same rules hold for the keys of sshd (StrictModes).
bool cannot_be_replaced(const fs::path& path) {
  fs::path above;
  for (const fs::path& part : path) {
    if (part.empty()) continue;  // A slash at the end.
    struct stat found {};
    if (!above.empty() && (::stat(above.c_str(), &found) != 0 || !is_trusted(found.st_uid) ||
                           ((found.st_mode & kOthersWrite) != 0 && (found.st_mode & S_ISVTX) == 0)))
      return false;
    above /= part;
    // A link in a folder like /tmp may be somebody else's.
    if (::lstat(above.c_str(), &found) != 0 || !is_trusted(found.st_uid)) return false;
  }
  return true;
}

// What is found instead of a spool, and what this means. A file system that is not mounted leaves an empty
// folder, or none. Empty if the folder holds something else.
std::string what_is_there(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::absolute(folder, ignored).lexically_normal();
  const fs::path above = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  if (!fs::exists(path, ignored)) {
    const bool is_missing = !fs::exists(above, ignored);
    if (is_missing || fs::is_empty(above, ignored))
      return fmt::format(
          "it does not exist, and the folder above it, {}, is {}; if a file system belongs there, "
          "mount it",
          above.string(), is_missing ? "missing" : "empty");
    return "it does not exist; if it was made before, correct the address";
  }
  if (fs::is_directory(path, ignored) && fs::is_empty(path, ignored))
    return "the folder is empty; if a file system belongs there, mount it";
  return "";
}

// Fails if the file system has no hard links or does not rename as POSIX says.
void try_file_system(const Folder& spool) {
  const std::string name = spool.write_new("");
  const std::string further = ".new-" + Folder::token();
  try {
    if (!spool.link(name, spool.at(kFilesFolder), further) ||
        !spool.at(kFilesFolder).move(further, spool, further))
      throw base::MachineError("a file that was linked is not there", "");
  } catch (const base::MachineError& error) {
    spool.remove(name);
    throw base::MachineError(
        fmt::format("{}: this file system cannot hold a spool: {}", spool.path().string(), error.message()),
        "use one with hard links, such as NFS");
  }
  spool.remove(name);
  spool.remove(further);
}

}  // namespace

void make_spool(const std::filesystem::path& folder) {
  if (!base::make_private_folder(folder)) throw_failed_call(folder, "cannot be made");
  const Folder spool = *Folder::open(folder);
  const std::set<std::string> own{kCampaignsFolder, kFilesFolder, kNodesFolder, kClock, kVersionFile};
  if (!spool.status(kVersionFile))
    for (const std::string& name : spool.names())
      if (own.count(name) == 0)
        throw base::InputError(
            fmt::format("{} is not a spool, and has other files, such as {}: choose an empty folder",
                        folder.string(), name));
  for (const char* name : {kCampaignsFolder, kFilesFolder, kNodesFolder}) spool.made(name);
  if (!spool.status(kClock)) spool.add(kClock, "");
  try_file_system(spool);
  if (!spool.status(kVersionFile)) spool.add(kVersionFile, kVersion);
  require_spool(folder);
}

void require_spool(const std::filesystem::path& folder) {
  const auto spool = Folder::open(folder);
  const auto version = spool ? spool->read(kVersionFile) : std::nullopt;
  if (!version) {
    const std::string problem = what_is_there(folder);
    if (problem.empty()) {
      throw base::InputError(fmt::format(
          "{} is not a spool: its file VERSION is missing; correct the address", address_of(folder)));
    }
    throw base::InputError(
        fmt::format("{} is not a spool: {}; otherwise, make one with `warptune campaign init "
                    "--store {}`",
                    address_of(folder), problem, address_of(folder)));
  }
  if (*version != kVersion)
    throw base::InputError(
        fmt::format("{} has another version: expected '{}', found '{}'", address_of(folder),
                    std::string_view(kVersion).substr(0, std::string_view(kVersion).size() - 1),
                    std::string_view(*version).substr(0, version->find('\n'))));
}

void require_writable_spool(const fs::path& folder) {
  const fs::path nodes = folder / kNodesFolder;
  if (::faccessat(AT_FDCWD, nodes.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) return;
  if (errno != EACCES && errno != EROFS && errno != EPERM) return;
  throw base::InputError(
      fmt::format("spool:{}: this user may not write into it ({}); the owner of the spool "
                  "decides with the permissions of its folder who may",
                  folder.string(), std::generic_category().message(errno)));
}

std::int64_t written_clock(const Folder& spool) {
  // Nothing is made here: the folder may be the place where the file system is to be mounted.
  if (spool.touch(kClock))
    if (const auto status = spool.current_status(kClock)) return status->changed_ms;
  throw base::MachineError(
      fmt::format("{}: this file of the spool is missing", (spool.path() / kClock).string()),
      "check that its file system is mounted");
}

std::int64_t newest_time(const Folder& spool) {
  std::int64_t newest = 0;
  if (const auto clock = spool.current_status(kClock)) newest = clock->changed_ms;
  const Folder nodes = spool.at(kNodesFolder);
  for (const std::string& name : nodes.names())
    if (const auto status = nodes.status(name)) newest = std::max(newest, status->changed_ms);
  return newest;
}

bool is_private_spool(const Folder& spool) {
  const auto is_private = [](const Folder& folder) {
    struct stat found {};
    return ::fstat(folder.descriptor(), &found) == 0 && found.st_uid == ::geteuid() &&
           (found.st_mode & kOthersWrite) == 0;
  };
  std::error_code error;
  const fs::path path = fs::absolute(spool.path(), error).lexically_normal();
  const fs::path place = error ? fs::path() : fs::canonical(path, error);
  if (error || !cannot_be_replaced(path) || !cannot_be_replaced(place)) return false;
  return is_private(spool) && is_private(spool.at(kFilesFolder)) && is_private(spool.at(kCampaignsFolder));
}

}  // namespace warptune::fleet::spool
