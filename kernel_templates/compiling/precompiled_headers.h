#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiling/nvrtc.h"

namespace warptune::kernel_templates::compiling {

constexpr const char* kPchOption = "-pch";
bool uses_pch(const std::vector<std::string>& options);

/// Adapts the options for NVRTC. `-pch` is removed if this process cannot precompile headers (NVRTC before
/// 12.8, or a failure before). Otherwise its messages are suppressed.
std::vector<std::string> pch_options(std::vector<std::string> options);

/// Must be called after a compile with the options of `pch_options`. If the precompiled headers did not fit
/// into NVRTC's heap, it enlarges the heap; this discards the headers in it. If they cannot be made, this
/// process does not try again.
void grow_pch_heap_if_needed(const Nvrtc& nvrtc, nvrtcProgram program,
                             const std::vector<std::string>& options);

}  // namespace warptune::kernel_templates::compiling
