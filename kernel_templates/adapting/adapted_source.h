#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::adapting {

/// A source that NVRTC would refuse is adapted: host code is left out, and warptune's own headers (stand-ins)
/// replace those that NVRTC lacks. This number is increased when a change of the adapting may change what a
/// kernel computes. It belongs to the hash of definitions whose sources are adapted.
constexpr int kVersion = 1;

/// What a definition says about its sources.
struct SourceSettings {
  std::vector<std::filesystem::path> folders;  ///< Its include folders, without the toolkit's.
  bool keeps_host_code = false;  ///< A flag puts functions without `__host__` and `__device__` on the GPU.
};

/// Whether NVRTC surely refuses a source as it is. Then the source, or a file of the author that it includes,
/// has host code or includes a header for which there is a stand-in. The answer does not depend on the
/// toolkit. `code` is the text of `source`. Throws `base::InputError` for a file that `scope` does not allow.
bool needs_adapting(const std::filesystem::path& source, const std::string& code,
                    const SourceSettings& settings, const ReadScope* scope);

/// The source without host code, with the author's headers in place of their includes. `#line` makes messages
/// name the original files and lines. Throws as `needs_adapting` does.
std::string adapted(const std::filesystem::path& source, const std::string& code,
                    const SourceSettings& settings, const ReadScope* scope);

/// The folder of the headers that stand in for those that NVRTC lacks.
std::filesystem::path stand_in_folder();

}  // namespace warptune::kernel_templates::adapting
