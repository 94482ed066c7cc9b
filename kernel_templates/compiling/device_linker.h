#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "model/measurement.h"

namespace warptune::kernel_templates::compiling {

/// The file of the toolkit's device library, for example `libcudadevrt.a` for `cudadevrt`. Empty if it does
/// not exist.
std::string find_device_library(const std::string& name);

/// Links a relocatable cubin with the toolkit's device libraries by nvJitLink, which is loaded on first use.
/// The entries' resources become those of the linked code. If linking fails, the cause of the rejection says
/// what failed: the program, the machine (`kNoLinker`) or nvJitLink (`kCompilerFailed`).
model::Outcome<std::string> link_program(const std::string& cubin, const CompileRequest& request,
                                         std::vector<EntryCode>& entries);

/// Reads the linker's report (`-verbose`) into the entries, which are found by their symbols. Since compute
/// capability 8.0 the system uses 1 KiB of the shared memory of each block. The linker counts it as the
/// block's own, but the assembler does not; so it is subtracted.
void read_linked_resources(const std::string& info, const std::string& architecture,
                           std::vector<EntryCode>& entries);

}  // namespace warptune::kernel_templates::compiling
