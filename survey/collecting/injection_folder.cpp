#include "survey/collecting/injection_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "survey/collecting/injection_library.h"

namespace warptune::survey::collecting {

namespace fs = std::filesystem;

namespace {

fs::path make_folder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (!error) parent = fs::absolute(parent, error);  // The program may change its folder.
  std::string pattern = (error ? fs::path("/tmp") : parent) / "warptune-survey-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw base::MachineError(fmt::format("no temporary folder {}: {}", pattern, std::strerror(errno)),
                             "set TMPDIR to a folder with space that you may write to");
  }
  return pattern;
}

void remove_folder(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// The loader refuses libraries of a file system that is mounted so.
void require_executable(const fs::path& folder) {
  struct statvfs system {};
  if (::statvfs(folder.c_str(), &system) != 0 || (system.f_flag & ST_NOEXEC) == 0) return;
  throw base::MachineError(
      fmt::format("no library can be loaded from {}, which is mounted with noexec", folder.string()),
      "set TMPDIR to a folder from which programs can be run");
}

fs::path write_library(const fs::path& folder) {
  require_executable(folder);
  fs::path path = folder / "libwarptune_survey_injection.so";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  std::string_view rest = injection_library();
  bool failed = file < 0;
  while (!failed && !rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    failed = written < 0 && errno != EINTR;
  }
  const int error = errno;
  if (file >= 0 && ::close(file) != 0) failed = true;
  if (failed) {
    throw base::MachineError(fmt::format("{} cannot be written: {}", path.string(), std::strerror(error)),
                             "set TMPDIR to a folder with space that you may write to");
  }
  return path;
}

}  // namespace

InjectionFolder::InjectionFolder() : path_(make_folder()) {
  try {
    library_ = write_library(path_);
  } catch (...) {
    remove_folder(path_);
    throw;
  }
}

InjectionFolder::~InjectionFolder() { remove_folder(path_); }

// Loading the library here would cost as much as starting a small program.
std::string injected_cupti_path() {
  std::error_code ignored;
  for (const std::string& folder : base::cuda_library_folders()) {
    const fs::path path = fs::path(folder) / "libcupti.so.13";
    if (fs::exists(path, ignored)) return fs::absolute(path, ignored).string();
  }
  const base::SharedLibrary library({"libcupti.so.13", "libcupti.so"}, base::cuda_library_folders(),
                                    "install CUPTI of CUDA 13 or set CUDA_HOME to the toolkit that has it");
  return fs::path(library.path()).is_absolute() ? library.path() : std::string();
}

}  // namespace warptune::survey::collecting
