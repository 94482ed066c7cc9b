#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// A digest of every file that a request includes, with its contents, and of the places where NVRTC looks in
/// vain before. Empty when what is included cannot be known: a file outside of CUDA's own folders includes
/// what a macro names.
///
/// Remembered for each set of `#include` lines and folders; what is remembered counts while the files have
/// the times and sizes they had, which is looked at once a second at most.
std::string include_digest(const CompileRequest& request);

/// What a request's options say of includes, in any of the forms that NVRTC takes.
struct IncludeOptions {
  std::vector<std::filesystem::path> folders;  ///< Of `-I`.
  std::vector<std::string> headers;            ///< Of `-include`.
};
IncludeOptions include_options(const std::vector<std::string>& options);

/// Makes the next `include_digest` look at the files again.
void distrust_include_digests();

}  // namespace warptune::kernel_templates::compiling
