#include "base/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "base/code_folder.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/files.h"

namespace warptune::base {

namespace fs = std::filesystem;

namespace {

// Some of NVIDIA's libraries open further libraries by name at their first use. `prefixes` are the beginnings
// of the names of these. NVIDIA's libraries have no RPATH. So if the further ones are not in the loader's own
// folders, they are found only if they are already loaded.
struct Companions {
  std::string_view library;
  std::vector<std::string_view> prefixes;
};
const std::vector<Companions>& companions() {
  static const std::vector<Companions> table = {
      {"libnvrtc.so", {"libnvrtc-builtins.so"}},
      {"libcupti.so", {"libnvperf_host.so", "libnvperf_target.so"}}};
  return table;
}

void load_companions(const fs::path& library) {
  for (const auto& [name, prefixes] : companions()) {
    if (!library.filename().string().starts_with(name)) continue;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(library.parent_path(), ignored)) {
      const std::string file = entry.path().filename().string();
      for (const std::string_view prefix : prefixes) {
        if (file.starts_with(prefix)) ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
      }
    }
  }
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, const std::vector<std::string>& folders,
                             std::string_view remedy) {
  std::string attempts;
  bool only_missing = true;
  const auto attempt = [&](const std::string& path) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = path;
      return true;
    }
    const std::string reason = ::dlerror();
    only_missing =
        only_missing && reason.starts_with(path + ": cannot open shared object file: No such file");
    attempts += fmt::format("{}{}", attempts.empty() ? "" : "; ", reason);
    return false;
  };
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      const fs::path path = fs::path(folder) / name;
      if (std::error_code ignored; fs::exists(path, ignored) && attempt(path.string())) {
        load_companions(path);
        return;
      }
    }
  }
  for (const std::string& name : names) {
    if (attempt(name)) return;
  }
  throw MachineError(only_missing ? fmt::format("{} not found", fmt::join(names, ", "))
                                  : fmt::format("{} cannot be loaded: {}", names.front(), attempts),
                     std::string(remedy));
}

void* SharedLibrary::find_symbol(const char* name) const { return ::dlsym(handle_, name); }

void* SharedLibrary::symbol(const char* name) const {
  void* address = find_symbol(name);
  if (address == nullptr) {
    throw MachineError(fmt::format("{} has no function {}", path_, name), "install CUDA 13 or newer");
  }
  return address;
}

namespace {

std::vector<fs::path> cuda_roots() {
  std::vector<fs::path> roots;
  for (const Variable variable : {Variable::kCudaPath, Variable::kCudaHome, Variable::kToolkitPath}) {
    if (fs::path root = environment_text(variable); !root.empty()) roots.push_back(std::move(root));
  }
  // Python installs NVIDIA's wheels as `nvidia/cu13` beside the package of warptune. The package contains
  // this code twice: in its extension library, and in the program, which is one folder below.
  const fs::path code = code_folder();
  for (const fs::path& packages : {code.parent_path(), code.parent_path().parent_path()})
    roots.push_back(packages / "nvidia" / "cu13");
#ifdef WARPTUNE_BUILD_CUDA_INCLUDE
  roots.push_back(fs::path(WARPTUNE_BUILD_CUDA_INCLUDE).parent_path());
#endif
  roots.push_back(code.parent_path() / "lib" / "cuda");
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

// The folders that exist, each once: a root may be a link to another root.
std::vector<std::string> existing(const std::vector<fs::path>& roots, const std::vector<std::string>& below) {
  std::vector<std::string> found;
  std::set<fs::path> known;
  for (const fs::path& root : roots) {
    for (const std::string& folder : below) {
      std::error_code ignored;
      if (!fs::is_directory(root / folder, ignored)) continue;
      const fs::path place = fs::canonical(root / folder, ignored);
      if (ignored || known.insert(place).second) found.push_back((root / folder).string());
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> cuda_library_folders() {
  return existing(cuda_roots(), {"lib64", "lib", "extras/CUPTI/lib64", "nvidia/cu13/lib"});
}

std::vector<std::string> cuda_include_folders() {
  return existing(cuda_roots(),
                  {"include", "include/cccl", "nvidia/cu13/include", "nvidia/cu13/include/cccl"});
}

std::vector<std::string> cuda_program_folders() {
  return existing(cuda_roots(), {"bin", "compute-sanitizer", "nvidia/cu13/compute-sanitizer"});
}

}  // namespace warptune::base
