#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiling/nvrtc.h"

namespace warptune::kernel_templates::compiling {

constexpr const char* kPchOption = "-pch";
bool wants_pch(const std::vector<std::string>& options);

/// The options for NVRTC: `-pch` goes when this process cannot precompile headers (NVRTC before 12.8, or it
/// failed before); else it is kept quiet.
std::vector<std::string> pch_options(std::vector<std::string> options);

/// After a compile with the options of `pch_options`: makes NVRTC's heap for precompiled headers larger when
/// they did not fit (which forgets those it holds), and gives up for this process when they cannot be made.
void follow_pch(const Nvrtc& nvrtc, nvrtcProgram program, const std::vector<std::string>& options);

}  // namespace warptune::kernel_templates::compiling
