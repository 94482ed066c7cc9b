#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// Hashes the contents of every file that a request includes, and the result of each `__has_include`. Empty
/// if it is unknown which files are included, because a macro gives the name in an `#include` outside of
/// CUDA's own folders.
///
/// The digest is kept for each set of `#include` lines and folders. It stays valid while the files have the
/// same times and sizes, and while no file appears that NVRTC would include instead. This is checked at most
/// once per second. Thread-safe.
std::string include_digest(const CompileRequest& request);

/// The includes in a request's options, in any form that NVRTC accepts.
struct IncludeOptions {
  std::vector<std::filesystem::path> folders;  ///< The folders of `-I`.
  std::vector<std::string> headers;            ///< The headers of `-include`.
};
IncludeOptions include_options(const std::vector<std::string>& options);

/// The next `include_digest` checks the files, even if the last check was less than a second ago.
void invalidate_include_digests();

}  // namespace warptune::kernel_templates::compiling
