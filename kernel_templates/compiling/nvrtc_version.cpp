#include "kernel_templates/compiling/nvrtc_version.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "base/files.h"
#include "base/shared_library.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/compiling/nvrtc.h"

namespace warptune::kernel_templates::compiling {

namespace fs = std::filesystem;

namespace {

// The path, size and times of a file. Empty if the file does not exist.
std::string identity_of(const fs::path& library) {
  struct stat status {};
  if (library.empty() || ::stat(library.c_str(), &status) != 0) return "";
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return fmt::format("{} {} {} {}\n", library.string(), status.st_size, nanoseconds(status.st_mtim),
                     nanoseconds(status.st_ctim));
}

// The file that would be loaded. Empty if only the system's loader knows it.
fs::path nvrtc_file() {
  for (const std::string& folder : base::cuda_library_folders()) {
    for (const char* name : Nvrtc::kNames) {
      std::error_code ignored;
      if (fs::path file = fs::path(folder) / name; fs::exists(file, ignored)) return file;
    }
  }
  return {};
}

}  // namespace

int remembered_version(const fs::path& memory_file, const fs::path& library,
                       const std::function<int()>& ask) {
  constexpr std::uint64_t kMaxBytes = 1 << 16;
  const std::string identity = identity_of(library);
  if (identity.empty() || memory_file.empty()) return ask();
  const std::optional<std::string> known = base::read_own_file(memory_file, kMaxBytes);
  if (known && known->starts_with(identity)) {
    const int version = std::atoi(known->c_str() + identity.size());
    if (version > 0) return version;
  }
  const int version = ask();
  if (base::make_private_folder(memory_file.parent_path()))
    base::replace_file(memory_file, fmt::format("{}{}\n", identity, version), 0600);
  return version;
}

std::string nvrtc_file_identity() { return identity_of(nvrtc_file()); }

int installed_nvrtc_version() {
  const fs::path cache = default_compile_cache();
  return remembered_version(cache.empty() ? fs::path() : cache.parent_path() / "nvrtc-version", nvrtc_file(),
                            nvrtc_version);
}

}  // namespace warptune::kernel_templates::compiling
