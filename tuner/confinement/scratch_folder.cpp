#include "tuner/confinement/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

namespace warptune::tuner::confinement {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "warptune-scratch-";
// A process locks its folder only after it has made it. So a folder that is younger than this is kept,
// although nobody holds its lock.
constexpr std::time_t kMinAgeSeconds = 60;

protocol::FileDescriptor lock_of(const fs::path& folder) {
  protocol::FileDescriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (opened.get() >= 0 && ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) opened.reset();
  return opened;
}

// Removes the folders of processes that were killed.
void remove_abandoned(const fs::path& below) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(below, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const protocol::FileDescriptor lock = lock_of(entry.path());
    struct stat status {};
    const bool is_ours = lock && ::fstat(lock.get(), &status) == 0 && status.st_uid == ::geteuid();
    if (is_ours && status.st_mtim.tv_sec + kMinAgeSeconds < ::time(nullptr))
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(bool removes_abandoned) {
  std::error_code error;
  const fs::path below = fs::temp_directory_path(error);
  if (error) return;
  if (removes_abandoned) remove_abandoned(below);
  std::string name = (below / fmt::format("{}XXXXXX", kPrefix)).string();
  if (::mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  lock_ = lock_of(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace warptune::tuner::confinement
