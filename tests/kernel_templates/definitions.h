#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates {

/// A new folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warptune_XXXXXX").string();
    const char* made = mkdtemp(pattern.data());
    if (made == nullptr) throw base::MachineError("cannot make the folder " + pattern, "");
    path_ = made;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// Replaces the one occurrence of `old_part` in `text`. Throws if there is none, so that a test cannot lose
/// its purpose.
inline std::string with(std::string text, const std::string& old_part, const std::string& new_part) {
  const std::size_t at = text.find(old_part);
  if (at == std::string::npos) throw base::InternalError("the test's text has no '" + old_part + "'");
  return text.replace(at, old_part.size(), new_part);
}

/// The error of loading the definition at `path`, or "no error".
inline std::string load_failure(const std::filesystem::path& path) {
  try {
    load_kernel_definition(path);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

/// A small correct definition within its own source. Line 1 is `/* warptune`.
inline const std::string kScaleCode = R"(
extern "C" __global__ void __launch_bounds__(BLOCK) scale(const dtype* x, dtype* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (dtype)FACTOR;
}
)";
inline const std::string kScaleToml = R"toml([kernel]
entry = "scale"

[problem]
N = 1000
dtype = "f32"

[parameters]
BLOCK = [32, 64, 128]
FACTOR = [2, 3]

[constraints]
list = ["BLOCK * FACTOR <= 256"]

[default]
BLOCK = 64
FACTOR = 2

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "x"
kind = "in"
type = "dtype"
count = "N"

[[argument]]
name = "y"
kind = "out"
type = "dtype"
count = "N"

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
)toml";
inline std::string embedded(const std::string& toml, const std::string& code = kScaleCode) {
  return "/* warptune\n" + toml + "*/\n" + code;
}

/// Loads `toml` and `code` as one file in a new folder, which is removed before this returns.
inline KernelDefinition load_embedded(const std::string& toml, const std::string& code = kScaleCode) {
  const TemporaryFolder folder;
  return load_kernel_definition(folder.write("scale.cu", embedded(toml, code)));
}

inline bool nvrtc_missing() {
  try {
    nvrtc_version();
    return false;
  } catch (const base::MachineError&) {
    return true;
  }
}

}  // namespace warptune::kernel_templates
