#pragma once

#include <string>
#include <vector>

#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// Writes the winners of kernels as one C++17 file with all that runs them: the code, `workspace_bytes` and
/// `launch`. See docs/export.md. Throws `base::InputError` if a kernel has a part that the file cannot have,
/// or if kernels need different compiler options.
std::string cuda_file(const std::vector<KernelExport>& kernels);

}  // namespace warptune::tuner::exporting
