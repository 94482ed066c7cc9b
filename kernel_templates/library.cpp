#include "kernel_templates/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;

std::vector<std::string> shipped_kernels() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base::share_folder() / "kernels", error)) {
    if (is_definition_file(entry.path())) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_definition_file(const fs::path& path) {
  const fs::path extension = path.extension();
  const bool has_recommendations = path.filename().string().ends_with(".recommended.toml");
  return (extension == ".cu" || extension == ".toml") && !has_recommendations;
}

bool is_kernel_path(const std::string& name_or_path) {
  const fs::path extension = fs::path(name_or_path).extension();
  return name_or_path.find('/') != std::string::npos || extension == ".cu" || extension == ".toml";
}

KernelDefinition load_kernel(const std::string& name_or_path, const Permissions& permissions) {
  if (is_kernel_path(name_or_path)) return load_kernel_definition(name_or_path, permissions);
  const std::vector<std::string> known = shipped_kernels();
  if (std::find(known.begin(), known.end(), name_or_path) != known.end()) {
    const fs::path file = base::share_folder() / "kernels" / name_or_path;
    std::error_code ignored;
    const bool embedded = fs::is_regular_file(file.string() + ".cu", ignored);
    return load_kernel_definition(file.string() + (embedded ? ".cu" : ".toml"), permissions);
  }
  if (known.empty()) {
    throw base::InputError(
        fmt::format("there are no shipped kernels in {}; set WARPTUNE_SHARE to the folder that has kernels/",
                    base::share_folder().string()));
  }
  if (name_or_path.find('.') != std::string::npos) {  // No kernel's name has a dot.
    throw base::InputError(fmt::format(
        "there is no file '{}'; expected the name of a shipped kernel, or the path of a .cu or .toml file",
        name_or_path));
  }
  throw base::InputError(
      fmt::format("unknown kernel '{}'{}; the shipped ones are {}; give the path of your own kernel",
                  name_or_path, base::did_you_mean(name_or_path, known), fmt::join(known, ", ")));
}

}  // namespace warptune::kernel_templates
