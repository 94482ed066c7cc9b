#include "base/code_folder.h"

#include <dlfcn.h>

#include <string>
#include <system_error>

#include "base/files.h"

namespace warptune::base {

namespace fs = std::filesystem;

fs::path code_folder() {
  static const int anchor = 0;
  Dl_info info{};
  if (::dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return program_folder();
  const fs::path file = info.dli_fname;
  if (file.filename().string().find(".so") == std::string::npos) return program_folder();
  std::error_code error;
  const fs::path found = fs::canonical(file, error);
  return error ? program_folder() : found.parent_path();
}

}  // namespace warptune::base
