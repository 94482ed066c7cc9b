#include "tuner/trust/trusted_folders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace warptune::tuner::trust {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxBytes = 1 << 20;

// Why others could replace or change what is at `path`, if they could. `is_above`: `path` is an
// ancestor of the definition's own folder.
std::optional<std::string> changeable(const fs::path& path, bool is_above) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0)
    return fmt::format("{} cannot be examined: {}", path.string(), std::generic_category().message(errno));
  const bool is_own = status.st_uid == ::geteuid();
  if (!is_own && !(is_above && status.st_uid == 0))
    return fmt::format("{} belongs to another user", path.string());
  const bool is_shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (is_shared && !(is_above && (status.st_mode & S_ISVTX) != 0))
    return fmt::format("{} is writable by other users", path.string());
  return std::nullopt;
}

}  // namespace

std::optional<std::string> changeable_by_others(const fs::path& definition) {
  if (auto why = changeable(definition, false)) return why;
  const fs::path own = definition.parent_path();
  for (fs::path folder = own;; folder = folder.parent_path()) {
    if (auto why = changeable(folder, folder != own)) return why;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

TrustedFolders::TrustedFolders(fs::path file) : file_(std::move(file)) {
  const std::string text = base::read_own_file(file_, kMaxBytes).value_or("");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) folders_.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool TrustedFolders::contains(const fs::path& folder) const {
  return std::find(folders_.begin(), folders_.end(), folder) != folders_.end();
}

void TrustedFolders::add(const fs::path& folder) {
  if (folder.string().find('\n') != std::string::npos)
    throw base::InputError("a folder whose name has a newline cannot be remembered");
  if (contains(folder)) return;
  folders_.push_back(folder);
  std::string text;
  for (const fs::path& one : folders_) text += one.string() + "\n";
  if (!base::make_private_folder(file_.parent_path()) || !base::replace_file(file_, text, 0600))
    throw base::MachineError(fmt::format("{}: {}", file_.string(), std::generic_category().message(errno)),
                             "");
}

fs::path trusted_folders_file() {
  try {
    return base::data_folder() / "trusted-folders";
  } catch (const base::MachineError&) {
    return {};
  }
}

}  // namespace warptune::tuner::trust
