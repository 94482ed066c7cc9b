#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace warptune::kernel_templates::compiling {

/// The version of a library, from the file `memory_file` if that was written for the same library: the same
/// path, size and time of change. Otherwise `ask` returns the version, and the file is written again. A file
/// that cannot be read or written is not an error.
int remembered_version(const std::filesystem::path& memory_file, const std::filesystem::path& library,
                       const std::function<int()>& ask);

/// The path, size and times of the file that `Nvrtc` would load. Empty if it is in none of the CUDA folders.
std::string nvrtc_file_identity();

/// NVRTC's version. NVRTC is loaded only if its file is new to this user, because loading takes 15 ms. The
/// version is remembered in a file beside the default compile cache. Throws `base::MachineError` if NVRTC
/// must be loaded but cannot be.
int installed_nvrtc_version();

}  // namespace warptune::kernel_templates::compiling
